// A browser starts no worker for a page that it has opened from a disk. There the search runs in a
// frame of the page instead, which has the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      this.waiting = [];
      inside.importScripts = (...urls) => urls.reduce(
        (before, script) => before.then(() => this.load(script)), Promise.resolve());
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.load(url).then(() => {
        this.isReady = true;
        this.waiting.splice(0).forEach((data) => this.deliver(data));
      });
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.head.append(script);
      });
    }

    deliver(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.isReady) this.deliver(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
