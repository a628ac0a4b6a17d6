// Words in pictures: ticks, labels, and names at the ends of lines, none of which meets another.

const LONGEST_NAME = 16
// Between the end of a line and its name, in pixels.
const NAME_GAP = 6
// How far a name may stand above or below its end, in its own heights, and by which steps.
const FARTHEST = 3
const NAME_STEP = 3
// The room for names beside a frame grows and shrinks by so many pixels at a time.
const ROOM_STEP = 14

const brief = name => name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name

// Width of a character and height of a line, at a size of the type.
const typed = wide => ({character: wide ? 11.5 : 6.3, high: wide ? 23 : 13})

// Where a value is on the screen, from the beginning of its range.
function pixels(value, {start, end}, log, size) {
  const place = log ? Math.log : x => x
  return size * (place(value) - place(start)) / (place(end) - place(start))
}

// The ends of the lines of a layer, with what each is called: a run's line, or of the selected run
// the lines of its features.
function lineEnds(part, xs, ys, names, features) {
  const out = {x: [], y: [], text: [], said: [], colour: [], lift: []}
  const end = (us, vs, text, colour) => {
    for (let k = us.length - 1; k >= 0; k--) {
      if (!Number.isFinite(us[k]) || !Number.isFinite(vs[k])) continue
      for (const [name, value] of Object.entries(
        {x: us[k], y: vs[k], text, said: text, colour, lift: 0})) out[name].push(value)
      return
    }
  }
  if (!Array.isArray(xs[0])) end(xs, ys, brief(part.run.drawn), part.run.colour)
  else if (part.leads) coloursOf(features).forEach((colour, k) =>
    end(xs[k], ys[k], brief(String(names[k])), colour))
  return out
}

// Where each name goes, to the right of the end of its line: how far it is moved down, and whether
// it is said at all; and the room that the names need beyond the frame. Names stand in the order of
// their lines, so that none is taken for another's. One that finds no room near its end is left to
// the list of runs; those of the selected run choose first.
function placed(parts, {height, width, at}) {
  const ends = parts.flatMap(part => {
    const {x: xs, y: ys, text} = part.renderer.data_source.data
    const {character, high} = typed(part.wide)
    return xs.map((left, k) => {
      const [x, y] = at(left, ys[k])
      return {part, k, x, y, wide: NAME_GAP + character * text[k].length, high}
    })
  })
  ends.sort((a, b) => b.part.leads - a.part.leads || b.y - a.y)
  const taken = []
  const beside = (a, b) => a.x < b.x + b.wide && b.x < a.x + a.wide
  const fits = (end, place) => place >= end.high / 2 && place <= height - end.high / 2
    && taken.every(other => !beside(end, other) || (Math.abs(other.place - place) >= end.high
      && (other.place - place) * (other.y - end.y) >= 0))
  const found = new Map(parts.map(part => [part, {lift: [], said: []}]))
  let room = 0
  for (const end of ends) {
    const {part, k, x, y, high} = end
    const inside = x >= -1 && x <= width + 1 && y >= -1 && y <= height + 1
    const low = Math.min(Math.max(y, high / 2), height - high / 2)
    let place
    for (let away = 0; inside && place === undefined && away <= FARTHEST * high; away += NAME_STEP)
      place = [low + away, low - away].find(at => fits(end, at))
    if (place !== undefined) {
      taken.push({...end, place})
      room = Math.max(room, x + end.wide - width)
    }
    const {lift, said} = found.get(part)
    lift[k] = place === undefined ? 0 : y - place
    said[k] = place === undefined ? '' : part.renderer.data_source.data.text[k]
  }
  return {found, room: ROOM_STEP * Math.ceil(room / ROOM_STEP)}
}

// What says what a layer is: high in a gulf where it is widest, or where a level begins.
const NARROW = Math.log(1.5)
const NOWHERE = {x: [], y: [], text: [], align: []}

function inGulf(text, xs, low, high) {
  let widest = -1
  const width = k => Math.abs(Math.log(high[k] / low[k]))
  xs.forEach((_, k) => {
    if (Number.isFinite(width(k)) && !(width(k) <= width(widest))) widest = k
  })
  return !(width(widest) > NARROW) ? NOWHERE
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
