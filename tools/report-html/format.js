// Numbers for people, as torchprof-report prints them.
function torchprofTime(ns) {
  if (ns === null || ns === undefined) return "-";
  const size = Math.abs(ns);
  if (size < 999.5) return ns.toFixed(0) + " ns";
  if (size < 999999.5) return (ns / 1e3).toFixed(3) + " us";
  if (size < 999999500) return (ns / 1e6).toFixed(3) + " ms";
  return (ns / 1e9).toFixed(3) + " s";
}
function torchprofBytes(bytes) {
  if (Math.abs(bytes) < 1024) return bytes + " B";
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let size = bytes / 1024;
  while (Math.abs(size) >= 1023.95 && units.length > 1) {
    size /= 1024;
    units.shift();
  }
  return size.toFixed(1) + " " + units[0];
}
const torchprofTypes = {
  text: (value) => value,
  count: (value) => String(value),
  bytes: torchprofBytes,
  time: torchprofTime,
  percent: (value) => value.toFixed(2) + "%",
};
// The value that `row` has in `column`, one of the data's columns.
function torchprofValue(row, column) {
  const value = row[column.id];
  if (value === null || value === undefined) return "-";
  return row[column.id + "_text"] || torchprofTypes[column.type](value);
}
