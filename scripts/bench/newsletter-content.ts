/**
 * Newsletter content: time and memory to load the libraries, to compile a newsletter of all types of blocks and one of the largest, and
 * to fill its HTML, text and subject for one recipient.
 *
 *     node scripts/bench/newsletter-content.ts
 */
import { performance } from 'node:perf_hooks'
import { fill } from '../../jmap/newsletters/content/template.ts'
import { ALL_BLOCKS, compiled, SAMPLES, VALUES } from '../../spec/jmap/newsletters/content/sample-content.ts'

const rss = () => Math.round(process.memoryUsage.rss() / 1_048_576)
const timed = <T>(what: string, times: number, run: () => T): T => {
  const began = performance.now()
  let result = run()
  for (let time = 1; time < times; time++) result = run()
  const each = (performance.now() - began) / times
  console.log(`${what}: ${each < 1 ? `${Math.round(each * 1_000)} us` : `${each.toFixed(1)} ms`}`)
  return result
}

const before = rss()
timed('first newsletter, with loading the libraries', 1, () => compiled(ALL_BLOCKS))
console.log(`RSS ${before} MB before, ${rss()} MB after`)
const newsletter = timed('newsletter of 14 blocks, compiled', 100, () => compiled(ALL_BLOCKS))
timed('largest: 200 blocks of paragraphs', 5, () =>
  compiled(Array.from({ length: 200 }, () => ({ type: 'paragraph', body: 'word '.repeat(900) }) as const)),
)
timed('largest: 500 KB of custom HTML', 3, () =>
  compiled([{ type: 'custom_html', html: `<p style="color:red">${'word '.repeat(10)}</p>`.repeat(6_700) }]),
)
timed('200 columns', 5, () => compiled(Array.from({ length: 200 }, () => SAMPLES.columns)))
console.log(
  `HTML of 14 blocks: ${Buffer.byteLength(fill(newsletter.html, VALUES))} bytes, ${newsletter.html.length} parts`,
)
timed('one recipient: HTML, text and subject', 100_000, () => [
  fill(newsletter.html, VALUES),
  fill(newsletter.text, VALUES),
  fill(newsletter.subject, VALUES),
])
