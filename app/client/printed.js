// A picture as a file: under its title, on paper, so that it says what it shows wherever it goes.

const TITLE_SIZE = 16
const TITLE_MARGIN = 10

// What stands above a figure of that width, with what measures a text: as many lines as it takes.
function titleLines(text, width, measure) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim()
    if (lines.at(-1) == '' || measure(longer) <= width - 2 * TITLE_MARGIN)
      lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.filter(Boolean)
}

// Places of the lines, from the top, and the height of them all.
function laidOut(text, width, font) {
  const {ctx} = pixelSheet(1, 1)
  ctx.font = font
  const lines = titleLines(text, width, line => ctx.measureText(line).width)
  const step = 1.3 * TITLE_SIZE
  return {high: lines.length ? TITLE_MARGIN + step * lines.length : 0,
    lines: lines.map((line, k) => [line, TITLE_MARGIN + step * k + TITLE_SIZE])}
}

function pixelSheet(width, height) {
  const sheet = h('canvas', {width, height})
  return {sheet, ctx: sheet.getContext('2d')}
}

// ``drawn`` is a canvas of more pixels than the figure is wide, on a fine screen.
function printedPng(drawn, title, width, {ink, paper, face}) {
  const scale = drawn.width / width
  const font = `600 ${TITLE_SIZE}px ${face}`
  const {high, lines} = laidOut(title, width, font)
  const {sheet, ctx} = pixelSheet(drawn.width, drawn.height + Math.round(scale * high))
  ctx.fillStyle = paper
  ctx.fillRect(0, 0, sheet.width, sheet.height)
  ctx.drawImage(drawn, 0, Math.round(scale * high))
  ctx.scale(scale, scale)
  ctx.fillStyle = ink
  ctx.font = font
  for (const [line, y] of lines) ctx.fillText(line, TITLE_MARGIN, y)
  return sheet.toDataURL('image/png')
}

// ``drawn`` is the text of a document.
function printedSvg(drawn, title, {ink, paper, face}) {
  const figure = new DOMParser().parseFromString(drawn, 'image/svg+xml').documentElement
  const [width, height] = ['width', 'height'].map(name => parseFloat(figure.getAttribute(name)))
  const {high, lines} = laidOut(title, width, `600 ${TITLE_SIZE}px ${face}`)
  figure.setAttribute('y', high)
  const sheet = svg('svg', {width, height: height + high},
    svg('rect', {width: '100%', height: '100%', fill: paper}),
    ...lines.map(([line, y]) => svg('text', {x: TITLE_MARGIN, y, fill: ink, 'font-weight': '600',
      'font-size': TITLE_SIZE, 'font-family': face}, line)), figure)
  return new XMLSerializer().serializeToString(sheet)
}
