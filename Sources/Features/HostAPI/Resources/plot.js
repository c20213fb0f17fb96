// Throughput against capacity over the last seconds.

const SPAN = 30000;
const drawing = new Set();

// One frame for all plots, and none for those that nobody sees.
function draw() {
  for (const plot of drawing) plot.draw();
  drawing.clear();
}

export class Plot {
  points = [];
  isVisible = true;

  constructor(canvas, color) {
    Object.assign(this, { canvas, color });
    new IntersectionObserver(([entry]) => { this.isVisible = entry.isIntersecting; }).observe(canvas);
  }

  add(at, rate, capacity) {
    this.points.push({ at, rate, capacity });
    while (this.points.length && this.points[0].at < at - SPAN) this.points.shift();
    if (!this.isVisible) return;
    if (!drawing.size) requestAnimationFrame(draw);
    drawing.add(this);
  }

  draw() {
    const scale = devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width) return;
    if (this.canvas.width !== width * scale) Object.assign(this.canvas, { width: width * scale, height: height * scale });
    const context = this.canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.canvas);
    const last = this.points.at(-1);
    const top = Math.max(...this.points.map((p) => Math.max(p.rate, p.capacity ?? 0)), 1) * 1.15;
    const x = (at) => width - (last.at - at) / SPAN * width;
    const y = (rate) => height - 2 - rate / top * (height - 4);
    context.strokeStyle = style.getPropertyValue("--muted");
    context.setLineDash([4, 4]);
    context.beginPath();
    let isDrawing = false;
    for (const point of this.points) {
      if (point.capacity === null) { isDrawing = false; continue; }
      context[isDrawing ? "lineTo" : "moveTo"](x(point.at), y(point.capacity));
      isDrawing = true;
    }
    context.stroke();
    context.setLineDash([]);
    context.strokeStyle = context.fillStyle = style.getPropertyValue(this.color);
    context.lineWidth = 2;
    context.beginPath();
    this.points.forEach((point, index) => context[index ? "lineTo" : "moveTo"](x(point.at), y(point.rate)));
    context.stroke();
    context.lineTo(x(last.at), height);
    context.lineTo(x(this.points[0].at), height);
    context.globalAlpha = 0.15;
    context.fill();
    context.globalAlpha = 1;
  }
}
