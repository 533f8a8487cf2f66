// Draws the flame graph into `chart`, with a search box and a reset button.
// Colors go from yellow to red with the share of the whole.
function torchprofFlame(data, parts) {
  const amount = data.weight === "calls" ? torchprofCalls : torchprofTime;
  const total = data.flame.value || 1;
  const width = () => Math.max(200, parts.chart.clientWidth || 960);
  // Of a node or its data: the library makes a node's own value what a zoom shows.
  const weight = (d) => (d.data || d).value;
  const withShare = (n) =>
    amount(n) + ", " + torchprofTypes.percent(100 * n / total);
  const describe = (d) => d.data.name + ": " + withShare(weight(d));
  // What stands below the graph while no frame is pointed at.
  const whole = data.weight_title + ", " + amount(data.flame.value);
  let details = whole;
  const show = (text) => { parts.details.textContent = text || details; };
  const graph = flamegraph().width(width()).cellHeight(20).minFrameSize(1)
    .getValue(weight).selfValue(false).inverted(true).sort(false)
    .resetHeightOnZoom(true).transitionDuration(200).title("")
    .label(describe).setDetailsHandler(show)
    .setSearchMatch((d, word) =>
      d.data.name.toLowerCase().includes(word.toLowerCase()))
    .setSearchHandler((found, sum) => {
      details = found.length + " found, " + withShare(sum);
      show();
    })
    .setColorMapper((d) => {
      if (d.highlight) return "#c277e0";
      const heat = Math.sqrt(weight(d) / total);
      return "hsl(" + (48 - 40 * heat).toFixed(0) + ",90%," +
        (78 - 14 * heat).toFixed(0) + "%)";
    });
  d3.select(parts.chart).datum(data.flame).call(graph);
  show();
  const search = () => {
    if (parts.search.value) {
      graph.search(parts.search.value);
    } else {
      details = whole;
      graph.clear();
    }
  };
  parts.search.addEventListener("input", search);
  parts.reset.addEventListener("click", () => {
    parts.search.value = "";
    search();
    graph.resetZoom();
  });
  let timer;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => graph.width(width()).update(), 150);
  });
}
