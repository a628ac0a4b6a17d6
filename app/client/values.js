// What is drawn, as tables and as files.

const MOST_ROWS = 200

// As many rows as that, evenly, the last among them.
const some = (rows, most) => rows.length <= most ? rows
  : Array.from({length: most}, (_, k) => rows[Math.round(k * (rows.length - 1) / (most - 1))])

const heads = picture => ['run', 'measure', picture.axis('x').label, 'value']

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

// For those who read it rather than see it; null where nothing is drawn.
function valuesTable(picture) {
  const drawn = series(picture)
  if (!drawn.length) return null
  const each = Math.max(2, Math.floor(MOST_ROWS / drawn.length))
  const head = h('tr', {}, ...heads(picture).map(text => h('th', {scope: 'col'}, text)))
  const rows = drawn.flatMap(rows => some(rows, each)).map(row =>
    h('tr', {}, ...row.map((cell, k) => h('td', {class: k < 2 ? 'word' : ''}, cell))))
  return h('div', {class: 'tables', tabindex: '0'}, h('table', {},
    h('caption', {}, `At most ${each} rows of each run and measure`),
    h('thead', {}, head), h('tbody', {}, ...rows)))
}

const quoted = cell => /[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell
const csvOf = rows => rows.map(row => row.map(quoted).join(',') + '\n').join('')

// All that is drawn.
const valuesCsv = picture => csvOf([heads(picture), ...series(picture).flat()])

// The points of all runs, with all that is known of them.
function pointsCsv({runs, sources}) {
  const walked = runs.filter(run => sources.column(run.key, 'points', 'l1').length)
  const columns = walked.length ? Object.keys(sources.of(walked[0].key, 'points').data) : []
  return csvOf([['run', ...columns], ...walked.flatMap(run => {
    const {data} = sources.of(run.key, 'points')
    return data.l1.map((_, k) => [run.drawn, ...columns.map(column => data[column]?.[k] ?? '')])
  })])
}
