// Numbers for people, as torchprof-report prints them.
function torchprofTime(ns) {
  if (ns === null || ns === undefined) return "-";
  const size = Math.abs(ns);
  if (size < 999.5) return ns.toFixed(0) + " ns";
  if (size < 999999.5) return (ns / 1e3).toFixed(3) + " us";
  if (size < 999999500) return (ns / 1e6).toFixed(3) + " ms";
  return (ns / 1e9).toFixed(3) + " s";
}
