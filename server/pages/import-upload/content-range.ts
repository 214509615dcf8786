/** RFC 9110 14.4: which octets of a file a PUT sends. */
import type { IncomingHttpHeaders } from 'node:http'

/** `to`: the octet after the last one. */
export type SentRange = { readonly from: number; readonly to: number } | { readonly fault: string }

const RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/

/** @param size octets of the whole file. Without Content-Range the request has all of them */
export function readRange(headers: IncomingHttpHeaders, size: number): SentRange {
  const length = headers['content-length']
  const given = headers['content-range']
  if (given === undefined)
    return length !== undefined && Number(length) !== size
      ? { fault: `The file has ${size} octets, and the request ${length}.` }
      : { from: 0, to: size }
  const [, first, last, total] = RANGE.exec(given) ?? []
  if (first === undefined) return { fault: 'Content-Range is not of the form "bytes 0-99/100".' }
  const range = { from: Number(first), to: Number(last) + 1 }
  if (Number(total) !== size) return { fault: `The file has ${size} octets, and not ${total}.` }
  if (range.to <= range.from || range.to > size) return { fault: 'Content-Range lies outside of the file.' }
  if (length !== undefined && Number(length) !== range.to - range.from)
    return { fault: `Content-Range has ${range.to - range.from} octets, and the request ${length}.` }
  return range
}
