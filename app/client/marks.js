// Kinds of layers: how each is drawn of columns, and how a run makes it look. A new kind is an
// entry.

const GREY = '#808890'
const FEATURE_COLOURS = ['#2498d1', '#ee6649', '#149c7f', '#b9279a', '#077b06', '#5d3df6',
  '#fe076e', '#1c63d3', '#8a6d00', '#6b7280']
const field = name => ({field: name})
const along = (x, [y]) => ({x: field(x), y: field(y)})
const between = (x, [low, high]) => ({x: field(x), y1: field(low), y2: field(high)})
const lists = (x, [y]) => ({xs: field(x), ys: field(y)})
const filled = run => ({fill_color: run.colour, line_color: run.colour})

// The colour of each feature that is drawn: its own as long as it is, whatever comes and goes.
const painted = new Map()
function coloursOf(features) {
  const drawn = new Set(features)
  for (const j of painted.keys()) if (!drawn.has(j)) painted.delete(j)
  for (const j of features) {
    if (painted.has(j)) continue
    const taken = new Set(painted.values())
    painted.set(j, FEATURE_COLOURS.find(colour => !taken.has(colour)) ?? GREY)
  }
  return features.map(j => painted.get(j))
}

// A feature that is pointed at stands out in every run, and the others step back.
const shade = (features, run, {lit}) => ({
  strength: features.map(j => lit === null ? 0.25 : j === lit ? 0.75 : 0.1)})
const trail = (features, run, {leads, wide, lit}) => ({
  colour: leads ? coloursOf(features) : features.map(() => run.colour),
  width: features.map(j => (leads ? (wide ? 3.4 : 2) : 0.8) * (j === lit ? 2 : 1)),
  strength: features.map(j => lit === null ? (leads ? 0.95 : 0.5) : j === lit ? 1 : 0.15)})

// glyph: Bokeh's name of it. at: its columns. style: as it always is. look: as the run, whether it
// is selected, and the factor of its width make it. parts: ends of the names of the columns that
// stand for the chosen one. leads: whether it is drawn of the selected run alone. rows: columns
// that the page adds to its source, of the indices of the features in its rows. hovers: whether the
// pointer asks it. lists: whether each of its rows is a line.
const MARKS = {
  line: {glyph: 'Line', at: along, hovers: true, look: (run, {width}) => ({line_color: run.colour,
    line_dash: run.dash, line_width: width})},
  dots: {glyph: 'Scatter', at: along, hovers: true,
    look: (run, {marker}) => ({...filled(run), marker})},
  rings: {glyph: 'Scatter', at: along, hovers: true, style: {fill_alpha: 0},
    look: (run, {marker}) => ({line_color: run.colour, marker})},
  bars: {glyph: 'HBar', at: (x, [y]) => ({y: field(y), right: field(x)}), leads: true,
    hovers: true,
    style: {left: 0, height: 0.7, fill_alpha: field('strength'), line_alpha: 0},
    look: run => filled(run), rows: shade},
  median: {glyph: 'Line', at: along, parts: ['_median'],
    look: (run, {width}) => ({line_color: run.colour, line_dash: run.dash, line_width: width})},
  band: {glyph: 'VArea', at: between, style: {fill_alpha: 0.18}, parts: ['_low', '_high'],
    look: run => ({fill_color: run.colour})},
  gulf: {glyph: 'VArea', at: between, style: {fill_alpha: 0.12},
    look: run => ({fill_color: run.colour})},
  contours: {glyph: 'MultiLine', at: lists, style: {line_color: GREY, line_alpha: 0.6},
    look: () => ({})},
  paths: {glyph: 'MultiLine', at: lists, hovers: true, lists: true,
    style: {line_color: field('colour'), line_width: field('width'),
      line_alpha: field('strength')},
    look: (run, {leads}) => ({line_dash: leads ? 'solid' : run.dash}), rows: trail},
  bound: {glyph: 'Line', at: along, style: {line_alpha: 0.3, line_width: 4},
    look: run => ({line_color: run.colour})},
  level: {glyph: 'HSpan', at: () => ({y: field('y')}), look: run => ({line_color: run.colour})},
  names: {glyph: 'Text', at: () => ({x: field('x'), y: field('y'), text: field('said'),
    text_color: field('colour')}), look: () => ({}), style: {text_font_size: '11px',
    text_align: 'left', text_baseline: 'middle', x_offset: NAME_GAP, y_offset: field('lift')}},
  label: {glyph: 'Text', at: () => ({x: field('x'), y: field('y'), text: field('text'),
    text_align: field('align')}),
    leads: true, look: run => ({text_color: run.colour}), style: {text_font_size: '11px',
    text_baseline: 'bottom', y_offset: -2}},
}

// The columns that hovering a layer shows: those that the picture declares of points, else what is
// drawn.
function tipsOf({source}, [x, y], {tips}) {
  return tips.length && ['points', 'paths'].includes(source) ? tips : [x, ...y.split('|')]
}

// They, as Bokeh asks for them. Where a row is a line, the place on it is told, too.
function tooltipsOf(layer, columns, declared) {
  const {labels} = declared
  const places = MARKS[layer.kind].lists ? columns : []
  return [['run', '$name'],
    ...tipsOf(layer, columns, declared).map(tip => [labels[tip] ?? tip, `@{${tip}}`]),
    ...places.map((column, k) => [labels[column], `$snap_${'xy'[k]}{0.[0000]}`])]
}

// Whether the median of the repeats of a run is drawn beside it.
const repeated = ({layers}, run) => run.repeats > 1 && layers.some(({kind}) => kind == 'median')

function widthOf(declared, run, {kind, style}, wide) {
  const width = style.line_width ?? 1.5
  const strong = wide ? Math.max(3, 1.8 * width) : width
  return kind == 'line' && repeated(declared, run) ? strong / 3 : strong
}

function makeGlyph({kind, style}, x, ys) {
  const mark = MARKS[kind]
  return new (model(mark.glyph))({...mark.at(x, ys), ...mark.style, ...style})
}
