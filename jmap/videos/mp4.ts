/**
 * MP4 and QuickTime: that the file is nothing but boxes of such a file, and what its index says (ISO/IEC 14496-12). The octets of the tracks
 * are not decoded.
 */
import { VIDEO_INDEX_BOXES_MAX, VIDEO_INDEX_MAX_BYTES } from '../../server/base/image-limits.ts'
import type { Octets, VideoOutcome } from './octets.ts'

/** Boxes that may stand at the top of a file. Anything else there, such as a page of HTML behind the video, is refused. */
const TOP = new Set(
  ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'udta', 'uuid', 'meta', 'moof', 'mfra'].concat([
    'sidx',
    'ssix',
    'styp',
    'prft',
    'emsg',
    'pdin',
    'bloc',
  ]),
)
/** Top boxes of a fragmented video of some hours. */
export const TOP_MAX = 5_000
const HEAD = 16

interface Box {
  readonly type: string
  /** Of its content. */
  readonly start: number
  readonly end: number
}

export async function readMp4(octets: Octets): Promise<VideoOutcome> {
  const damaged = { fault: 'it is no whole MP4 or QuickTime file' }
  let index: Box | null = null
  let brand = ''
  let at = 0
  for (let count = 0; at < octets.size; count++) {
    const head = Buffer.from(await octets.read(at, Math.min(octets.size, at + HEAD)))
    const box = boxOf(head, 0, octets.size - at)
    if (!box || !TOP.has(box.type) || count >= TOP_MAX) return damaged
    if (count === 0) {
      if (box.type !== 'ftyp' || head.length < 12) return damaged
      brand = head.toString('latin1', 8, 12)
    }
    if (box.type === 'moov') index = { ...box, start: at + box.start, end: at + box.end }
    at += box.end
  }
  if (!index) return damaged
  const type = brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
  if (index.end - index.start > VIDEO_INDEX_MAX_BYTES) return { type, width: null, height: null, durationSeconds: null }
  return { type, ...readIndex(Buffer.from(await octets.read(index.start, index.end))) }
}

/** @param left octets from here to the end of what it is in */
function boxOf(bytes: Buffer, at: number, left: number): Box | null {
  if (left < 8 || bytes.length < at + 8) return null
  const type = bytes.toString('latin1', at + 4, at + 8)
  const short = bytes.readUInt32BE(at)
  if (short === 0) return { type, start: at + 8, end: at + left }
  const isLong = short === 1
  if (isLong && bytes.length < at + HEAD) return null
  const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short
  const head = isLong ? HEAD : 8
  return size >= head && size <= left ? { type, start: at + head, end: at + size } : null
}

/** How many boxes may still be looked at. */
interface Budget {
  left: number
}

function* boxesIn(bytes: Buffer, from: number, to: number, budget: Budget): Generator<Box> {
  for (let at = from; at < to && budget.left > 0; budget.left--) {
    const box = boxOf(bytes, at, to - at)
    if (!box) return
    yield box
    at = box.end
  }
}

function readIndex(bytes: Buffer) {
  let durationSeconds: number | null = null
  let size: readonly [number, number] | null = null
  const budget = { left: VIDEO_INDEX_BOXES_MAX }
  for (const box of boxesIn(bytes, 0, bytes.length, budget)) {
    if (box.type === 'mvhd') durationSeconds = durationOf(bytes.subarray(box.start, box.end))
    if (box.type !== 'trak') continue
    for (const part of boxesIn(bytes, box.start, box.end, budget))
      if (part.type === 'tkhd') size ??= sizeOf(bytes.subarray(part.start, part.end))
  }
  return { width: size?.[0] ?? null, height: size?.[1] ?? null, durationSeconds }
}

/** ISO/IEC 14496-12 8.2.2 */
function durationOf(box: Buffer): number | null {
  const isLong = box[0] === 1
  if (box.length < (isLong ? 32 : 20)) return null
  const scale = box.readUInt32BE(isLong ? 20 : 12)
  const units = isLong ? Number(box.readBigUInt64BE(24)) : box.readUInt32BE(16)
  const unknown = isLong ? units >= 2 ** 63 : units === 0xffff_ffff
  // 8.8.2: a file in fragments has 0 here.
  return scale === 0 || units === 0 || unknown ? null : rounded(units / scale)
}

/** ISO/IEC 14496-12 8.3.2: 16.16 numbers at the end. null: a track without pictures. */
function sizeOf(box: Buffer): readonly [number, number] | null {
  if (box.length < 84) return null
  const [width, height] = [box.readUInt32BE(box.length - 8) >>> 16, box.readUInt32BE(box.length - 4) >>> 16]
  return width > 0 && height > 0 ? [width, height] : null
}

export function rounded(seconds: number): number | null {
  return Number.isFinite(seconds) && seconds < 1e6 ? Math.round(seconds * 1_000) / 1_000 : null
}
