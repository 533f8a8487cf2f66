// Draws each node under the machine's roofs: how much it computes for each byte
// that it moves, and how fast. Both axes are logarithmic. `summary` is the table
// that a click leads to.
function torchprofRoofline(roofline, parts, summary) {
  const add = (parent, tag, attributes, content) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) {
      const value = attributes[name];
      node.setAttribute(name,
        typeof value === "number" ? Number(value.toFixed(1)) : value);
    }
    if (content !== undefined) node.textContent = content;
    parent.appendChild(node);
    return node;
  };
  const peak = roofline.gflops_s, bandwidth = roofline.gbytes_s;
  const ridge = peak / bandwidth; // left of it the memory limits
  // The longest first, so that small dots lie above large ones.
  const isDot = (row) => row.gops_s > 0 && row.intensity > 0;
  const dots = roofline.rows.filter(isDot)
    .sort((a, b) => (b.pct_total || 0) - (a.pct_total || 0));

  const describe = (row) => summary.nameOf(row.sites[0]) + "; " +
    roofline.columns.filter((column) => row[column.id] !== null)
      .map((column) => column.title + " " + torchprofValue(row, column))
      .join(", ");
  const explain = () => {
    if (!dots.length) return "no plot: no node is known to compute anything";
    const rest = roofline.rows.filter((row) => !isDot(row));
    const time = rest.reduce((sum, row) => sum + (row.pct_total || 0), 0);
    const others = !rest.length ? "" : ` Without a dot: ${rest.length} ` +
      (rest.length === 1 ? "node that moves" : "nodes that move") +
      ` data and compute${rest.length === 1 ? "s" : ""} nothing, ` +
      torchprofTypes.percent(time) + " of the time.";
    return "A dot is a node, its area the share of the time; all operations " +
      "count as FLOP. The lines are what the machine does at most, " +
      roofline.source + "." + others;
  };

  // A logarithmic scale from `values`, with room around, to pixels.
  const scale = (values, from, to) => {
    const low = Math.log10(Math.min(...values)) - 0.2;
    const high = Math.log10(Math.max(...values)) + 0.2;
    const at = (value) =>
      from + (Math.log10(value) - low) / (high - low) * (to - from);
    // Powers of ten, fewer or also what lies between as there is room.
    const decade = Math.abs(to - from) / (high - low);
    const digits = decade > 150 ? [1, 2, 5] : [1];
    const step = Math.ceil(36 / decade);
    const ticks = [];
    for (let power = Math.floor(low); power <= high; ++power)
      for (const digit of power % step ? [] : digits) {
        const value = Number(digit + "e" + power);
        if (Math.log10(value) >= low && Math.log10(value) <= high)
          ticks.push(value);
      }
    return { at, ticks, low: 10 ** low, high: 10 ** high };
  };
  const tickText = (value) =>
    value < 1e-3 || value > 1e5 ? value.toExponential() : String(value);

  const axes = (svg, x, y, box) => {
    const grid = add(svg, "g", { class: "grid", "aria-hidden": "true" });
    for (const value of x.ticks) {
      const at = x.at(value);
      add(grid, "line", { x1: at, x2: at, y1: box.top, y2: box.bottom });
      add(grid, "text", { x: at, y: box.bottom + 16, "text-anchor": "middle" },
        tickText(value));
    }
    for (const value of y.ticks) {
      const at = y.at(value);
      add(grid, "line", { x1: box.left, x2: box.right, y1: at, y2: at });
      add(grid, "text", { x: box.left - 6, y: at + 4, "text-anchor": "end" },
        tickText(value));
    }
    const middle = (box.top + box.bottom) / 2;
    add(grid, "text", { x: (box.left + box.right) / 2, y: box.bottom + 34,
      "text-anchor": "middle" }, "FLOP/byte");
    add(grid, "text", { x: 0, y: 0, "text-anchor": "middle",
      transform: `translate(12 ${middle.toFixed(1)}) rotate(-90)` }, "GFLOP/s");
  };

  // Returns what names the roofs, for above the dots.
  const roofs = (svg, x, y, box) => {
    const roof = add(svg, "g", { class: "roof" });
    const start = Math.max(x.low, y.low / bandwidth);
    const [x0, y0] = [x.at(start), y.at(start * bandwidth)];
    const [x1, y1] = [x.at(ridge), y.at(peak)];
    add(roof, "line", { x1: x0, y1: y0, x2: x1, y2: y1 });
    add(roof, "line", { x1, y1, x2: x.at(x.high), y2: y1 });
    const names = add(svg, "g", { class: "roof" });
    const angle = Math.atan2(y1 - y0, x1 - x0) * 180 / Math.PI;
    const [xm, ym] = [(x0 + x1) / 2, (y0 + y1) / 2].map(Math.round);
    add(names, "text", { x: xm, y: ym - 7, "text-anchor": "middle",
      transform: `rotate(${angle.toFixed(1)} ${xm} ${ym})` }, bandwidth.toFixed(1) + " GB/s");
    add(names, "text", { x: Math.min(x1 + 6, box.right - 100), y: y1 - 7 },
      peak.toFixed(0) + " GFLOP/s");
    return names;
  };

  const dot = (svg, row, x, y, largest) => {
    const radius = largest * Math.sqrt((row.pct_total || 0) / 100);
    const circle = add(svg, "circle", { cx: x.at(row.intensity),
      cy: y.at(row.gops_s), r: Math.max(3, radius), tabindex: 0, role: "link" });
    add(circle, "title", {}, describe(row));
    const tell = () => { parts.details.textContent = describe(row); };
    const go = () => summary.show(row.sites[0]);
    circle.addEventListener("mouseenter", tell);
    circle.addEventListener("focus", tell);
    circle.addEventListener("click", go);
    circle.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go();
    });
  };

  const draw = () => {
    const width = Math.max(280, parts.chart.clientWidth);
    const height = Math.min(480, Math.max(280, width / 2));
    const box = { left: 62, right: width - 10, top: 10, bottom: height - 44 };
    // The roofs have room for their labels.
    const x = scale([ridge / 20, ridge * 10,
      ...dots.map((row) => row.intensity)], box.left, box.right);
    const y = scale([peak / 20, peak * 2,
      ...dots.map((row) => row.gops_s)], box.bottom, box.top);
    parts.chart.textContent = "";
    const svg = add(parts.chart, "svg", { width, height, role: "group",
      viewBox: `0 0 ${width} ${height}`, "aria-label": "Roofline" });
    axes(svg, x, y, box);
    const names = roofs(svg, x, y, box);
    for (const row of dots) dot(svg, row, x, y, Math.min(40, width / 16));
    svg.appendChild(names);
  };
  parts.caption.textContent = [explain(), ...roofline.notes].join(" · ");
  if (!dots.length) return;
  draw();
  let timer;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, 150);
  });
}
