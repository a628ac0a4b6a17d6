// Words in pictures: ticks, labels, and names at the ends of lines, none of which meets another.

// Room of a name at the end of a line, in pixels.
const NAME_WIDTH = 90
const NAME_HEIGHT = 13
const NAME_LIFT = 4
const LONGEST_NAME = 24
// Heights of a name that are tried, the nearest to the end of its line first.
const STEPS = [0, 1, -1, 2, -2]

const brief = name => name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name

// Where a value is on the screen, from the beginning of its range.
function pixels(value, {start, end}, log, size) {
  const place = log ? Math.log : x => x
  return size * (place(value) - place(start)) / (place(end) - place(start))
}

// Where each name goes: how far it is lifted from the end of its line, and whether it is said at
// all. One that finds no room near its end is left to the list of runs; those of the selected run
// choose first.
function placed(parts, {height, width, at}) {
  const ends = parts.flatMap(part => part.renderer.data_source.data.x.map((left, k) => {
    const [x, y] = at(left, part.renderer.data_source.data.y[k])
    return {part, k, x, y}
  }))
  ends.sort((a, b) => b.part.leads - a.part.leads)
  const taken = []
  const free = (x, y) => y >= 0 && y <= height - NAME_HEIGHT && taken.every(other =>
    Math.abs(other.x - x) >= NAME_WIDTH || Math.abs(other.y - y) >= NAME_HEIGHT)
  const found = new Map(parts.map(part => [part, {lift: [], said: []}]))
  for (const {part, k, x, y} of ends) {
    const inside = x >= -1 && x <= width + 1 && y >= -1 && y <= height + 1
    const low = Math.min(Math.max(y, 0), height - NAME_HEIGHT)
    const place = inside ? STEPS.map(step => low + step * NAME_HEIGHT).find(up => free(x, up))
      : undefined
    if (place !== undefined) taken.push({x, y: place})
    const {lift, said} = found.get(part)
    lift[k] = place === undefined ? 0 : -(NAME_LIFT + place - y)
    said[k] = place === undefined ? '' : part.renderer.data_source.data.text[k]
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

// What is drawn in the axes that were chosen: of each run and measure its pairs, as text.
function series(picture) {
  const text = value => typeof value != 'number' ? value
    : Math.abs(value) < 1e-3 && value != 0 ? value.toExponential(4)
      : String(Number(value.toPrecision(5)))
  const found = new Map()
  for (const {run, layer, renderer} of picture.data) {
    const {data} = renderer.data_source
    const [x, y] = picture.columns(layer)
    const ys = MARKS[layer.kind].parts?.map(part => y + part) ?? y.split('|')
    for (const name of ys) {
      const key = `${run.key} ${layer.source} ${x} ${name}`
      if (found.has(key) || !(data[name] ?? []).length) continue
      const measure = picture.declared.labels[name] ?? name.replaceAll('_', ' ')
      found.set(key, data[name].flatMap((value, k) => {
        const own = data.name?.[k] === undefined ? run.drawn : `${run.drawn}, ${data.name[k]}`
        return Array.isArray(value)
          ? value.map((v, i) => [own, measure, text(data[x][k][i]), text(v)])
          : [[own, measure, text(data[x][k]), text(value)]]
      }).filter(([, , , value]) => value !== 'NaN'))
    }
  }
  return [...found.values()].filter(rows => rows.length)
}
