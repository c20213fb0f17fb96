# shellcheck shell=bash
# An image for containers: Debian without what linkcond does not need, and the package for Debian. The
# caller sets `version`, `epoch`, `work` and `made`.

# It has a shell, so that a sidecar's command can be a script, and no package manager's caches.
make_image() {
    local deb container name=${work:?}/image.tar archive isolation=()
    require_packages mmdebstrap=mmdebstrap buildah=buildah
    compgen -G "${made:?}/*.deb" >/dev/null || make_deb
    deb=$(compgen -G "$made/*.deb")
    archive=$made/linkcond-${version:?}-oci-$(uname -m).tar
    say 'making the image: installing Debian'
    # Whatever ends it, no mount is left.
    ((EUID)) || isolation=(unshare --mount --propagation private)
    image_directory=$(mktemp -d "${TMPDIR:-/tmp}/linkcond-image.XXXXXX")
    chmod 755 "$image_directory"
    TMPDIR=$image_directory SOURCE_DATE_EPOCH=${epoch:?} "${isolation[@]}" \
        mmdebstrap --quiet --variant=essential --components=main \
        --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
        --include=ca-certificates --include="$deb" \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        bookworm "$name" || fail "${exit_unavailable:?}" 'Debian cannot be installed'
    rm -rf "$image_directory"
    say 'making the image: packing'
    container=$(run_buildah from scratch)
    run_buildah add --quiet "$container" "$name" / >/dev/null
    run_buildah config --entrypoint '["/usr/bin/linkcond"]' --cmd --help \
        --label org.opencontainers.image.title=linkcond \
        --label org.opencontainers.image.version="$version" \
        --label org.opencontainers.image.licenses=Apache-2.0 "$container"
    run_buildah commit --quiet --disable-compression=false --timestamp "$epoch" "$container" \
        "oci-archive:$archive:linkcond:$version" >/dev/null
    run_buildah rm "$container" >/dev/null
    rm "$name"
}

# With storage of its own, which is left nowhere.
run_buildah() {
    buildah --root "$work/containers" --runroot "$work/containers-run" --storage-driver vfs "$@"
}
