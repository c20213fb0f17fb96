/// Files as container engines write them.
enum ContainerSamples {
    static let webID = "4c01db0b339c2ac6cd6fd4ccd4a0ed47a5b2c9de7e8e1c5b6ba9e8ad2f0e1d3c"
    static let databaseID = "4c9f00b7c1d5e6a7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f"

    /// Docker 27, `config.v2.json`, shortened where it says nothing of state or name.
    static func docker(
        id: String = webID, name: String = "web", isRunning: Bool = true, process: Int = 4711
    ) -> String {
        """
        {"StreamConfig":{},"State":{"Running":\(isRunning),"Paused":false,"Restarting":false,\
        "OOMKilled":false,"RemovalInProgress":false,"Dead":false,"Pid":\(process),"ExitCode":0,\
        "Error":"","StartedAt":"2026-11-20T09:12:01.482233142Z",\
        "FinishedAt":"0001-01-01T00:00:00Z","Health":null},"ID":"\(id)",\
        "Created":"2026-11-20T09:12:01.13092242Z","Managed":false,\
        "Path":"/docker-entrypoint.sh","Args":["nginx","-g","daemon off;"],\
        "Config":{"Hostname":"\(id.prefix(12))","Domainname":"","User":"","Tty":false,\
        "ExposedPorts":{"80/tcp":{}},"Env":["PATH=/usr/bin"],"Cmd":["nginx"],"Image":"nginx",\
        "Labels":{"maintainer":"NGINX"}},"Image":"sha256:60c8a892f36faf6c9215464005ee6fb8",\
        "NetworkSettings":{"Bridge":"","SandboxID":"b8dc4e53",\
        "Networks":{"bridge":{"Gateway":"172.17.0.1","IPAddress":"172.17.0.2"}},\
        "SandboxKey":"/var/run/docker/netns/b8dc4e53ff31"},\
        "LogPath":"/var/lib/docker/containers/\(id)/\(id)-json.log","Name":"/\(name)",\
        "Driver":"overlay2","OS":"linux","RestartCount":0,"HasBeenStartedBefore":true,\
        "AppArmorProfile":"docker-default"}
        """
    }

    /// Podman 5, `overlay-containers/containers.json`.
    static let podman = """
        [{"id":"\(webID)","names":["web"],"image":"2cd1d97f893f70cee86a38b7160c30e5750f3ed6ad86c5\
        98884ca9c6a563a501","layer":"8f5fc09b4d8b","metadata":"{\\"image-name\\":\\"docker.io/\
        library/nginx:latest\\",\\"image-id\\":\\"2cd1d97f893f\\",\\"name\\":\\"web\\",\
        \\"created-at\\":1795165921}","created":"2026-11-20T09:12:01.13092242Z",\
        "flags":{"MountLabel":"","ProcessLabel":""}},\
        {"id":"\(databaseID)","names":["database"],"image":"0e07d2f1","layer":"77aa",\
        "metadata":"{}","created":"2026-11-20T09:13:01Z","flags":{}}]
        """

    /// containerd 2 with nerdctl 2, `config.json` of a bundle.
    static let nerdctl = """
        {"ociVersion":"1.2.0","process":{"user":{"uid":0,"gid":0},"args":["nginx"],"cwd":"/"},\
        "root":{"path":"rootfs"},"hostname":"4c01db0b339c","linux":{"namespaces":\
        [{"type":"pid"},{"type":"network"},{"type":"mount"}]},"annotations":{"io.containerd.image.\
        config.stop-signal":"SIGQUIT","nerdctl/hostname":"4c01db0b339c","nerdctl/name":"web",\
        "nerdctl/namespace":"default","nerdctl/networks":"[\\"bridge\\"]","nerdctl/platform":\
        "linux/amd64"}}
        """

    /// containerd 2 under Kubernetes, `config.json` of a bundle.
    static let kubernetes = """
        {"ociVersion":"1.2.0","process":{"args":["/bin/server"]},"annotations":{\
        "io.kubernetes.cri.container-name":"server","io.kubernetes.cri.container-type":"container",\
        "io.kubernetes.cri.image-name":"registry.example/server:1","io.kubernetes.cri.sandbox-id":\
        "\(databaseID)","io.kubernetes.cri.sandbox-name":"server-7c9d","io.kubernetes.cri.sandbox-\
        namespace":"default"}}
        """

    /// `/proc/PID/cgroup` of a process in a container's group: of Docker with systemd, Docker's
    /// own, Podman, Kubernetes, and the first version of control groups.
    static func controlGroups(_ id: String) -> [String] {
        [
            "0::/system.slice/docker-\(id).scope\n", "0::/docker/\(id)\n",
            "0::/machine.slice/libpod-\(id).scope/container\n",
            "0::/kubepods.slice/kubepods-besteffort.slice/"
                + "kubepods-besteffort-pod8a1c_7c55.slice/cri-containerd-\(id).scope\n",
            "12:pids:/docker/\(id)\n11:memory:/docker/\(id)\n0::/\n",
        ]
    }
}
