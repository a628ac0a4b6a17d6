// Names at the ends of lines: where each stands, so that none runs into another.

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
