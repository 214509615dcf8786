// Promise N1. The whole corpora run in Chromium by scripts/interop/newsletter-html.ts.
import t from 'tap'
import { readCustomHtml } from '../../../../jmap/newsletters/content/custom-html.ts'
import { readSanitised } from '../../../../jmap/newsletters/content/html-tokens.ts'
import { sanitiseHtml } from '../../../../jmap/newsletters/content/sanitise-html.ts'
import { fill } from '../../../../jmap/newsletters/content/template.ts'

const clean = (html: string) => sanitiseHtml(html).html

t.test('HTML that mail clients show stays', async (t) => {
  const html =
    '<table width="600" border="0" cellpadding="0" cellspacing="0" bgcolor="#ffffff" style="border-collapse:collapse;width:600px"><tbody><tr><td align="left" style="padding:8px 16px;font-family:Arial, sans-serif;color:#333333">A <b>b</b> <a href="https://www.example.com/?a=1&amp;b=2" style="color:#1a56b0">c</a> <img src="https://www.example.com/x.png" alt="d" width="100" style="display:block" /></td></tr></tbody></table>'
  t.equal(clean(html), html)
  const { removed, refused } = sanitiseHtml(html)
  t.same({ removed, refused }, { removed: [], refused: [] }, 'nothing is reported')
  const whole = `<!doctype html><html><head><meta charset="utf-8"><title>T</title></head><body>${html}</body></html>`
  t.equal(clean(whole).trim(), html, 'of a document the body stays')
  t.same(sanitiseHtml(whole).removed, [])
})

t.test('what runs, loads or lays content over other content is removed', async (t) => {
  const cases: [string, string][] = [
    ['<p>a<script>alert(1)</script>b</p>', '<p>ab</p>'],
    ['<style>p{color:red}</style>x', 'x'],
    ['<svg><script>1</script><a xlink:href="javascript:1">y</a></svg>x', 'x'],
    ['<math><mtext><img src=x onerror=1></mtext></math>x', 'x'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="JaVa\tScRiPt:alert(1)">x</a>', '<a>x</a>'],
    ['<a href="//evil.example/">x</a>', '<a>x</a>'],
    ['<img src="data:image/svg+xml,x" alt="a">', '<img alt="a" />'],
    ['<p style="position:fixed;color:red;float:left">x</p>', '<p style="color:red">x</p>'],
    ['<p style="background:url(https://e.com/x)">x</p>', '<p>x</p>'],
    ['<p style="width:expression(alert(1))">x</p>', '<p>x</p>'],
    ['<p style="color:\\72 ed">x</p>', '<p>x</p>'],
    ['<p id="x" class="nl-card" name="y">x</p>', '<p>x</p>'],
    [
      '<base href="https://e.com"><link rel="stylesheet" href="https://e.com"><meta http-equiv="refresh" content="0">x',
      'x',
    ],
    ['<object data="x"><embed src="x"></object>x', 'x'],
    ['<!--[if mso]><p>y</p><![endif]-->x', 'x'],
    ['<template><img src=x onerror=1></template>x', 'x'],
    ['<noscript><p title="</noscript><img src=x onerror=1>"></noscript>x', 'x'],
  ]
  for (const [dirty, expected] of cases) t.equal(clean(dirty), expected, dirty)
  t.match(sanitiseHtml('<blink>x</blink><p class="a" style="background:url(x)">y</p>').removed, [
    'the element <blink>',
    'the attribute class of <p>',
    /the value of style of <p>/,
  ])
})

t.test('what the sanitiser writes is read strictly', async (t) => {
  for (const html of ['<p onclick="x">', '<script>', '<p style=x>', '<p a="<b>">', '<P>', '<p', '<p><x>', '<svg>'])
    t.equal(readSanitised(html), null, html)
  t.ok(readSanitised('<td nowrap>x</td><p title="a &quot; b">'), 'control')
})

t.test('loose parts of tables do not end the table around them', async (t) => {
  const read = readCustomHtml('a</td></tr></table><td>b</td><tr><td>c</td></tr><table><tr><td>d</td></tr></table>')
  t.equal('html' in read && fill(read.html, {}), 'abc<table><tr><td>d</td></tr></table>')
})

t.test('hostile sizes take no long time and end', async (t) => {
  const KB = 60_000
  const sizes = [
    '<div>'.repeat(KB / 5),
    '<'.repeat(KB),
    '<a '.repeat(KB / 3),
    '<p style="'.repeat(KB / 10),
    `<p style="${'color:red;'.repeat(KB / 10)}">x</p>`,
    `<p ${'a=b '.repeat(KB / 4)}>x</p>`,
    '<table><tr><td> '.repeat(KB / 16),
    '<td> '.repeat(KB / 5),
    '{{'.repeat(KB / 2),
    '<!--'.repeat(KB / 4),
    ' '.repeat(KB),
    '&'.repeat(KB),
    `<p title="${'&quot;'.repeat(KB / 6)}">x</p>`,
    '<svg>'.repeat(KB / 5),
    '</p>'.repeat(KB / 4),
  ]
  for (const html of sizes) {
    const read = readCustomHtml(html)
    t.ok('html' in read || read.refused.length > 0, html.slice(0, 20))
  }
})
