/** Checks that JSON is the blocks of a newsletter, and names each member at fault. */
import {
  BLOCK_CODE_MAX_CHARS,
  BLOCK_ITEMS_MAX,
  BLOCK_LINE_MAX_CHARS,
  BLOCK_PROSE_MAX_CHARS,
  NEWSLETTER_BLOCKS_MAX,
  NEWSLETTER_BLOCKS_MAX_BYTES,
  NEWSLETTER_BODY_MAX_BYTES,
  SPACER_MAX_HEIGHT,
  SPACER_MIN_HEIGHT,
} from '../../../server/base/newsletter-limits.ts'
import { ALIGNS, type Block, type BlockType, CALLOUT_VARIANTS, COLUMN_RATIOS } from './block.ts'
import { type Fault, fault } from './fault.ts'
import { parseMerge } from './merge.ts'
import { readUrl, type UrlUse } from './url.ts'

/** Faults of a member. @param path of the member, as messages and details name it */
type Rule = (value: unknown, path: string) => Fault[]
type Members = { readonly [name: string]: Rule }

const named = (path: string) => path.slice(path.lastIndexOf('/') + 1)

function text(max: number, rules: { readonly isLine?: boolean; readonly mayBeEmpty?: boolean } = {}): Rule {
  return (value, path) => {
    const name = named(path)
    if (typeof value !== 'string') return [fault(path, 'invalid_type', `${name} is a text.`)]
    if (value.length > max) return [fault(path, 'too_long', `${name} has at most ${max} characters.`)]
    if (!rules.mayBeEmpty && value.trim() === '') return [fault(path, 'required', `${name} is empty.`)]
    if (rules.isLine && /[\r\n]/.test(value)) return [fault(path, 'invalid_format', `${name} is one line.`)]
    const merge = parseMerge(value)
    return 'fault' in merge ? [fault(path, 'invalid_format', merge.fault)] : []
  }
}

function url(use: UrlUse): Rule {
  return (value, path) => {
    const name = named(path)
    if (typeof value !== 'string') return [fault(path, 'invalid_type', `${name} is a text.`)]
    const read = readUrl(value, use)
    return 'code' in read ? [fault(path, read.code, `${name} ${read.message}`)] : []
  }
}

function oneOf(values: readonly (string | number | boolean)[], words = values.join(', ')): Rule {
  return (value, path) =>
    values.some((one) => one === value) ? [] : [fault(path, 'not_allowed', `${named(path)} is one of ${words}.`)]
}

const height: Rule = (value, path) =>
  Number.isInteger(value) && Number(value) >= SPACER_MIN_HEIGHT && Number(value) <= SPACER_MAX_HEIGHT
    ? []
    : [fault(path, 'out_of_range', `height is a whole number from ${SPACER_MIN_HEIGHT} to ${SPACER_MAX_HEIGHT}.`)]

/** Without merge fields. */
const code: Rule = (value, path) => {
  if (typeof value !== 'string') return [fault(path, 'invalid_type', 'code is a text.')]
  if (value.length > BLOCK_CODE_MAX_CHARS)
    return [fault(path, 'too_long', `code has at most ${BLOCK_CODE_MAX_CHARS} characters.`)]
  return value.trim() === '' ? [fault(path, 'required', 'code is empty.')] : []
}

/** Its elements are checked when it is sanitised. */
const html: Rule = (value, path) => {
  if (typeof value !== 'string') return [fault(path, 'invalid_type', 'html is a text.')]
  if (Buffer.byteLength(value) > NEWSLETTER_BODY_MAX_BYTES)
    return [fault(path, 'too_long', `html has at most ${NEWSLETTER_BODY_MAX_BYTES} bytes.`)]
  return value.trim() === '' ? [fault(path, 'required', 'html is empty.')] : []
}

/** Absent and null are the same. */
function optional(rule: Rule): Rule {
  return (value, path) => (value === undefined || value === null ? [] : rule(value, path))
}

function items(rule: Rule): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) return [fault(path, 'invalid_type', `${named(path)} is a list.`)]
    if (value.length === 0) return [fault(path, 'too_short', `${named(path)} has at least one item.`)]
    if (value.length > BLOCK_ITEMS_MAX)
      return [fault(path, 'too_long', `${named(path)} has at most ${BLOCK_ITEMS_MAX} items.`)]
    return value.flatMap((item, index) => rule(item, `${path}/${index}`))
  }
}

/** Unknown members are ignored, as everywhere in the API. */
function object(members: Members, more: (value: { readonly [name: string]: unknown }, path: string) => Fault[]): Rule {
  return (value, path) => {
    if (!isRecord(value)) return [fault(path, 'invalid_type', `${named(path)} is an object.`)]
    return [...membersFaults(members, value, path), ...more(value, path)]
  }
}

function membersFaults(members: Members, value: { readonly [name: string]: unknown }, path: string): Fault[] {
  return Object.entries(members).flatMap(([name, rule]) => {
    const found = rule(value[name], `${path}/${name}`)
    const isMissing = value[name] === undefined && found.length > 0
    return isMissing ? [fault(`${path}/${name}`, 'required', `${name} is missing.`)] : found
  })
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Members that only make sense together. */
function pair(value: { readonly [name: string]: unknown }, path: string, one: string, other: string): Fault[] {
  const has = (name: string) => value[name] !== undefined && value[name] !== null
  if (has(one) === has(other)) return []
  const missing = has(one) ? other : one
  return [fault(`${path}/${missing}`, 'required', `${one} and ${other} go together.`)]
}

const line = text(BLOCK_LINE_MAX_CHARS, { isLine: true })
const prose = text(BLOCK_PROSE_MAX_CHARS)
const alt = text(BLOCK_LINE_MAX_CHARS, { isLine: true, mayBeEmpty: true })
const link = url('link')
const image = url('image')

const column = object(
  {
    title: optional(line),
    body: prose,
    image_url: optional(image),
    image_alt: optional(alt),
    cta_label: optional(line),
    cta_url: optional(link),
  },
  (value, path) => [
    ...pair(value, path, 'cta_label', 'cta_url'),
    ...(typeof value['image_url'] === 'string' ? pair(value, path, 'image_url', 'image_alt') : []),
  ],
)
const linkItem = object({ label: line, url: link, description: optional(prose) }, () => [])

export const BLOCK_MEMBERS: { readonly [type in BlockType]: Members } = {
  heading: { text: line, level: optional(oneOf([1, 2, 3])) },
  paragraph: { body: prose },
  list: { ordered: optional(oneOf([true, false], 'true, false')), items: items(prose) },
  callout: { title: optional(line), body: prose, variant: optional(oneOf(CALLOUT_VARIANTS)) },
  button: { label: line, url: link, align: optional(oneOf(ALIGNS)) },
  image: { url: image, alt, link_url: optional(link), caption: optional(line), caption_url: optional(link) },
  video: { video_url: link, thumbnail_url: image, label: line },
  columns: { ratio: optional(oneOf(COLUMN_RATIOS)), left: column, right: column },
  link_list: { title: optional(line), items: items(linkItem) },
  quote: { body: prose, cite: optional(line) },
  divider: {},
  spacer: { height: optional(height) },
  code: { code },
  custom_html: { html },
}

function blockFaults(value: unknown, path: string): Fault[] {
  if (!isRecord(value)) return [fault(path, 'invalid_type', 'A block is an object with a type.')]
  const { type } = value
  if (type === undefined) return [fault(`${path}/type`, 'required', 'type is missing.')]
  if (typeof type !== 'string' || !Object.hasOwn(BLOCK_MEMBERS, type)) {
    const known = Object.keys(BLOCK_MEMBERS).join(', ')
    return [fault(`${path}/type`, 'not_allowed', `There is no such block. type is one of ${known}.`)]
  }
  const faults = membersFaults(BLOCK_MEMBERS[type as BlockType], value, path)
  return type === 'image' && value['caption_url'] && !value['caption']
    ? [...faults, fault(`${path}/caption`, 'required', 'caption_url needs a caption.')]
    : faults
}

/** The blocks with their known members alone, or what is wrong with them: at most 100 faults. */
export function checkBlocks(value: unknown): { readonly blocks: readonly Block[] } | { readonly faults: Fault[] } {
  const path = 'blocks'
  if (!Array.isArray(value)) return { faults: [fault(path, 'invalid_type', 'blocks is a list.')] }
  if (value.length === 0) return { faults: [fault(path, 'too_short', 'A newsletter has at least one block.')] }
  if (value.length > NEWSLETTER_BLOCKS_MAX)
    return { faults: [fault(path, 'too_long', `A newsletter has at most ${NEWSLETTER_BLOCKS_MAX} blocks.`)] }
  const faults = value.flatMap((block, index) => blockFaults(block, `${path}/${index}`)).slice(0, 100)
  if (faults.length > 0) return { faults }
  const blocks = value.map((block) => known(block, BLOCK_MEMBERS[(block as Block).type]))
  if (Buffer.byteLength(JSON.stringify(blocks)) > NEWSLETTER_BLOCKS_MAX_BYTES)
    return { faults: [fault(path, 'too_long', `blocks have at most ${NEWSLETTER_BLOCKS_MAX_BYTES} bytes.`)] }
  // Every member has been checked.
  return { blocks: blocks as readonly unknown[] as readonly Block[] }
}

const COLUMN_MEMBERS = ['title', 'body', 'image_url', 'image_alt', 'cta_label', 'cta_url']
const ITEM_MEMBERS = ['label', 'url', 'description']

/** Without members that no block has. */
function known(block: { readonly [name: string]: unknown }, members: Members) {
  const kept: { [name: string]: unknown } = { type: block['type'] }
  for (const name of Object.keys(members)) if (block[name] !== undefined) kept[name] = nested(name, block[name])
  return kept
}

function nested(name: string, value: unknown): unknown {
  if (isRecord(value)) return picked(value, COLUMN_MEMBERS)
  if (name === 'items' && Array.isArray(value))
    return value.map((item: unknown) => (isRecord(item) ? picked(item, ITEM_MEMBERS) : item))
  return value
}

function picked(value: { readonly [name: string]: unknown }, names: readonly string[]) {
  return Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])))
}
