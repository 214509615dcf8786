/** WebM: that the file is one (RFC 8794, RFC 9559), and what its head says. The octets of the tracks are not decoded. */
import { rounded, TOP_MAX } from './mp4.ts'
import type { Octets, VideoOutcome } from './octets.ts'

const EBML = 0x1a45dfa3
const DOC_TYPE = 0x4282
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const SCALE = 0x2ad7b1
const DURATION = 0x4489
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const VIDEO = 0xe0
const WIDTH = 0xb0
const HEIGHT = 0xba
const VOID = 0xec
/** Elements that may stand beside the segment. */
const TOP = new Set([EBML, SEGMENT, VOID])
/** Octets in which the times and sizes are found: writers put them first. */
const HEAD_MAX = 262_144

interface Element {
  readonly id: number
  readonly start: number
  readonly end: number
}

export async function readWebm(octets: Octets): Promise<VideoOutcome> {
  const damaged = { fault: 'it is no whole WebM file' }
  const head = Buffer.from(await octets.read(0, Math.min(octets.size, HEAD_MAX)))
  const ebml = elementAt(head, 0, octets.size)
  if (ebml?.id !== EBML || ebml.end > head.length) return damaged
  const docType = find(head, ebml, DOC_TYPE)
  if (!docType || head.toString('latin1', docType.start, docType.end).replace(/\0+$/, '') !== 'webm') return damaged
  let segment: Element | null = null
  let count = 0
  for (let at = ebml.end; at < octets.size; count++) {
    const piece = Buffer.from(await octets.read(at, Math.min(octets.size, at + 12)))
    const element = elementAt(piece, 0, octets.size - at)
    if (!element || !TOP.has(element.id) || (element.id === SEGMENT && segment) || count >= TOP_MAX) return damaged
    if (element.id === SEGMENT) segment = { ...element, start: at + element.start, end: at + element.end }
    at += element.end
  }
  return segment ? { type: 'video/webm', ...readSegment(head, segment) } : damaged
}

function readSegment(head: Buffer, segment: Element) {
  const info = find(head, segment, INFO)
  const scale = (info && uintOf(head, find(head, info, SCALE))) ?? 1_000_000
  const duration = info && floatOf(head, find(head, info, DURATION))
  const tracks = find(head, segment, TRACKS)
  const video = tracks && all(head, tracks, TRACK).flatMap((track) => find(head, track, VIDEO) ?? [])[0]
  return {
    width: (video && uintOf(head, find(head, video, WIDTH))) ?? null,
    height: (video && uintOf(head, find(head, video, HEIGHT))) ?? null,
    durationSeconds: duration ? rounded((duration * scale) / 1e9) : null,
  }
}

/** RFC 8794 4 and 5. @param left octets from here to the end of what it is in */
function elementAt(bytes: Buffer, at: number, left: number): Element | null {
  const id = numberAt(bytes, at, 4, true)
  const size = id && numberAt(bytes, at + id.length, 8, false)
  if (!id || !size) return null
  const start = at + id.length + size.length
  const end = size.isUnknown ? at + left : start + size.value
  return end <= at + left ? { id: id.value, start, end } : null
}

function numberAt(bytes: Buffer, at: number, most: number, keepsMarker: boolean) {
  const first = bytes[at]
  const length = first === undefined ? 9 : Math.clz32(first) - 23
  if (length > most || at + length > bytes.length) return null
  let value = keepsMarker ? first! : first! & ((1 << (8 - length)) - 1)
  let isUnknown = !keepsMarker && value === (1 << (8 - length)) - 1
  for (let i = 1; i < length; i++) {
    value = value * 256 + bytes[at + i]!
    isUnknown &&= bytes[at + i] === 255
  }
  return { length, value, isUnknown }
}

function* elementsIn(bytes: Buffer, { start, end }: Element): Generator<Element> {
  for (let at = start; at < Math.min(end, bytes.length); ) {
    const element = elementAt(bytes, at, end - at)
    if (!element) return
    yield element
    at = element.end
  }
}

function all(bytes: Buffer, parent: Element, id: number): Element[] {
  return [...elementsIn(bytes, parent)].filter((element) => element.id === id && element.end <= bytes.length)
}

function find(bytes: Buffer, parent: Element, id: number): Element | null {
  for (const element of elementsIn(bytes, parent)) if (element.id === id && element.end <= bytes.length) return element
  return null
}

function uintOf(bytes: Buffer, element: Element | null): number | null {
  const length = element ? element.end - element.start : 0
  return element && length >= 1 && length <= 6 ? bytes.readUIntBE(element.start, length) : null
}

function floatOf(bytes: Buffer, element: Element | null): number | null {
  const length = element ? element.end - element.start : 0
  if (!element || (length !== 4 && length !== 8)) return null
  return length === 4 ? bytes.readFloatBE(element.start) : bytes.readDoubleBE(element.start)
}
