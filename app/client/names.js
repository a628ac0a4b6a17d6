// Words in pictures: ticks, labels, and names at the ends of lines, none of which meets another.

// Room of a name at the end of a line, in pixels.
const NAME_WIDTH = 90
const NAME_HEIGHT = 13
const NAME_LIFT = 4
const LONGEST_NAME = 24

const brief = name => name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name

// Where a value is on the screen, from the beginning of its range.
function pixels(value, {start, end}, log, size) {
  const place = log ? Math.log : x => x
  return size * (place(value) - place(start)) / (place(end) - place(start))
}

// How far each name is lifted from the end of its line, by the parts that draw names.
function lifts(parts, {height, at}) {
  const ends = parts.flatMap(part => part.renderer.data_source.data.x.map((left, k) => {
    const [x, y] = at(left, part.renderer.data_source.data.y[k])
    return {part, k, x, y}
  }))
  ends.sort((a, b) => a.y - b.y)
  const near = (a, b) => Math.abs(a.x - b.x) < NAME_WIDTH
  // Up from the lowest, and down again from the top of the frame.
  ends.forEach((end, k) => {
    const below = ends.slice(0, k).filter(other => near(end, other)).map(other => other.at)
    end.at = Math.max(end.y, ...below.map(at => at + NAME_HEIGHT))
  })
  ends.reverse().forEach((end, k) => {
    const above = ends.slice(0, k).filter(other => near(end, other)).map(other => other.at)
    end.at = Math.min(end.at, height - NAME_HEIGHT, ...above.map(at => at - NAME_HEIGHT))
  })
  const found = new Map()
  for (const {part, k, y, at} of ends) {
    if (!found.has(part)) found.set(part, [])
    found.get(part)[k] = Number.isFinite(at) ? -(NAME_LIFT + at - y) : -NAME_LIFT
  }
  return found
}

// What says what a layer is: high in a gulf where it is widest, or where a level begins.
const NOWHERE = {x: [], y: [], text: [], align: []}

function inGulf(text, xs, low, high) {
  let widest = -1
  const width = k => Math.abs(Math.log(high[k] / low[k]))
  xs.forEach((_, k) => {
    if (Number.isFinite(width(k)) && !(width(k) <= width(widest))) widest = k
  })
  return widest < 0 ? NOWHERE
    : {x: [xs[widest]], y: [low[widest] ** 0.3 * high[widest] ** 0.7], text: [text],
      // Toward the middle of the picture, so that no edge cuts it off.
      align: [2 * widest < xs.length ? 'left' : 'right']}
}

function onLevel(text, xs, value) {
  const first = xs.find(Number.isFinite)
  return first === undefined || !Number.isFinite(value ?? NaN) ? NOWHERE
    : {x: [first], y: [value], text: [text], align: ['left']}
}

// As few digits as tell a tick from the next, also between powers of ten. Bokeh takes it as text.
function tickLabel(tick, ticks) {
  const size = Math.abs(tick)
  if (size == 0) return '0'
  const apart = ticks.filter(other => other != tick).map(other => Math.abs(other - tick))
  const digits = Math.min(15, Math.max(3, 1 + Math.ceil(Math.log10(size / Math.min(...apart)))))
  for (const [unit, letter] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (size >= unit) return Number((tick / unit).toPrecision(digits)) + letter
  return size >= 1e-3 ? String(Number(tick.toPrecision(digits)))
    : String(Number(tick.toPrecision(digits)).toExponential())
}
