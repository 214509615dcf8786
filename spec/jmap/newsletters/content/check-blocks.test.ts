// The contract, Newsletter; decisions D19, D31
import t from 'tap'
import { checkBlocks } from '../../../../jmap/newsletters/content/check-blocks.ts'
import { ALL_BLOCKS, IMAGE, SAMPLES } from './sample-content.ts'

const faultsOf = (blocks: unknown) => {
  const checked = checkBlocks(blocks)
  return 'faults' in checked ? checked.faults.map(({ path, code }) => `${path} ${code}`) : []
}
const one = (block: object) => faultsOf([{ type: 'divider' }, block])

t.test('a block of each type is accepted, without members that it does not have', async (t) => {
  t.equal(ALL_BLOCKS.length, 14)
  t.same(checkBlocks(ALL_BLOCKS), { blocks: ALL_BLOCKS })
  const more = { ...SAMPLES.columns, left: { ...SAMPLES.columns.left, z: 1 }, later: true }
  t.same(checkBlocks([more]), { blocks: [SAMPLES.columns] })
  t.same(one({ type: 'button', label: 'x', url: 'https://example.com', align: null }), [], 'null is absent')
})

t.test('every rule about blocks names the member at fault', async (t) => {
  t.same(faultsOf('x'), ['blocks invalid_type'])
  t.same(faultsOf([]), ['blocks too_short'])
  t.same(faultsOf(Array.from({ length: 201 }, () => ({ type: 'divider' }))), ['blocks too_long'])
  t.same(faultsOf(Array.from({ length: 200 }, () => ({ type: 'divider' }))), [], 'control: 200')
  t.same(one({}), ['blocks/1/type required'])
  t.same(one({ type: 'table' }), ['blocks/1/type not_allowed'])
  t.same(one({ type: 'constructor' }), ['blocks/1/type not_allowed'])
  t.same(faultsOf([null, [], 'x']), ['blocks/0 invalid_type', 'blocks/1 invalid_type', 'blocks/2 invalid_type'])
  t.same(one({ type: 'heading', text: ' ', level: 4 }), ['blocks/1/text required', 'blocks/1/level not_allowed'])
  t.same(one({ type: 'heading', text: 'a\nb' }), ['blocks/1/text invalid_format'])
  t.same(one({ type: 'heading', text: 'x'.repeat(501) }), ['blocks/1/text too_long'])
  t.same(one({ type: 'paragraph' }), ['blocks/1/body required'])
  t.same(one({ type: 'paragraph', body: 7 }), ['blocks/1/body invalid_type'])
  t.same(one({ type: 'paragraph', body: 'Hi {{first name}}' }), ['blocks/1/body invalid_format'])
  t.same(one({ type: 'paragraph', body: 'Hi {{#if x}}' }), ['blocks/1/body invalid_format'])
  t.same(one({ type: 'paragraph', body: 'Hi {{ } {{' }), [], 'control: open braces are text')
  t.same(one({ type: 'list', items: [] }), ['blocks/1/items too_short'])
  t.same(one({ type: 'list', items: ['a', ''], ordered: 1 }), [
    'blocks/1/ordered not_allowed',
    'blocks/1/items/1 required',
  ])
  t.same(one({ type: 'callout', body: 'x', variant: 'red' }), ['blocks/1/variant not_allowed'])
  t.same(one({ type: 'button', label: 'x', url: 'https://e.com', align: 'top' }), ['blocks/1/align not_allowed'])
  t.same(one({ type: 'image', url: IMAGE }), ['blocks/1/alt required'])
  t.same(one({ type: 'image', url: IMAGE, alt: '' }), [], 'control: an image that decorates')
  t.same(one({ type: 'image', url: IMAGE, alt: '', caption_url: 'https://e.com' }), ['blocks/1/caption required'])
  t.same(one({ type: 'video', video_url: 'https://e.com', label: 'x' }), ['blocks/1/thumbnail_url required'])
  t.same(one({ type: 'columns', left: { body: 'x' }, right: { body: 'y', cta_label: 'z' } }), [
    'blocks/1/right/cta_url required',
  ])
  t.same(one({ type: 'columns', left: { body: 'x', image_url: IMAGE }, right: [] }), [
    'blocks/1/left/image_alt required',
    'blocks/1/right invalid_type',
  ])
  t.same(one({ type: 'columns', ratio: '10-90', left: { body: 'x' }, right: { body: 'x' } }), [
    'blocks/1/ratio not_allowed',
  ])
  t.same(one({ type: 'link_list', items: [{ label: 'x', url: 'ftp://e.com' }] }), ['blocks/1/items/0/url not_allowed'])
  t.same(one({ type: 'quote', body: 'x', cite: 1 }), ['blocks/1/cite invalid_type'])
  for (const height of [7, 81, 8.5, '8']) t.same(one({ type: 'spacer', height }), ['blocks/1/height out_of_range'])
  for (const height of [8, 80]) t.same(one({ type: 'spacer', height }), [], `control: ${height}`)
  t.same(one({ type: 'code', code: '' }), ['blocks/1/code required'])
  t.same(one({ type: 'custom_html', html: 'x'.repeat(512_001) }), ['blocks/1/html too_long'])
  const large = { type: 'custom_html', html: 'x'.repeat(512_000) }
  t.same(faultsOf([large, large, large]), ['blocks too_long'])
})

t.test('URLs are absolute, with the schemes https, http and mailto; images without mailto', async (t) => {
  const button = (url: unknown) => one({ type: 'button', label: 'x', url }).map((words) => words.split(' ')[1])
  const image = (url: unknown) => one({ type: 'image', alt: 'x', url }).map((words) => words.split(' ')[1])
  for (const url of [
    'https://e.com',
    'HTTP://e.com/?q={{city|a b}}',
    'mailto:a@e.com',
    '{{unsubscribe_url}}',
    '{{own_page}}',
  ])
    t.same(button(url), [], url)
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://e.com',
    '/path',
    '//e.com',
    'e.com',
    'https:e.com',
    'https:///e',
  ])
    t.same(button(url), ['not_allowed'], url)
  for (const url of [
    'https://e.com/a b',
    'https://e.com/"',
    'https://e.com/<',
    'https://e.com/\n',
    'java\tscript:x',
    'https://e.com\\x',
  ])
    t.same(button(url), ['invalid_format'], JSON.stringify(url))
  t.same(button(''), ['required'])
  t.same(button('https://e.com:99999/'), ['invalid_format'])
  t.same(button(`https://e.com/${'x'.repeat(2_048)}`), ['too_long'])
  t.same(button('https://e.com/{{a b}}'), ['invalid_format'])
  t.same(image('http://e.com/x.png'), [])
  for (const url of ['mailto:a@e.com', 'data:image/png;base64,AA', '{{picture}}', 'cid:1'])
    t.same(image(url), ['not_allowed'], url)
})
