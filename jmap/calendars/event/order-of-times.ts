/** Sorts times of events. A list has thousands of them, most at the same few times of a day. */

const DIGIT_BITS = 11
const DIGITS = 2 ** DIGIT_BITS
const SECONDS_MAX = 2 ** 32

/**
 * Places in a list of times (epoch ms) in the order of the times; places of one time stay in their order. Whole seconds of up to 136
 * years are sorted digit by digit (LSD radix sort), which compares nothing; others by comparison.
 */
export function orderOfTimes(times: Float64Array): Uint32Array {
  const order = new Uint32Array(times.length)
  for (let at = 0; at < order.length; at++) order[at] = at
  const seconds = secondsOf(times)
  return seconds === null ? order.sort((a, b) => times[a]! - times[b]!) : sortedByDigits(order, seconds)
}

/** Seconds since the first; null: they are not whole, or too many. */
function secondsOf(times: Float64Array): { readonly keys: Uint32Array; readonly most: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const time of times) {
    if (time < first) first = time
    if (time > last) last = time
  }
  const most = (last - first) / 1000
  if (!(most < SECONDS_MAX)) return null
  const keys = new Uint32Array(times.length)
  for (let at = 0; at < times.length; at++) {
    const key = (times[at]! - first) / 1000
    keys[at] = key
    if (keys[at] !== key) return null
  }
  return { keys, most }
}

function sortedByDigits(
  places: Uint32Array,
  { keys, most }: { readonly keys: Uint32Array; readonly most: number },
): Uint32Array {
  const starts = new Uint32Array(DIGITS)
  let from = places
  let to: Uint32Array = new Uint32Array(places.length)
  for (let shift = 0; shift < 32 && most / 2 ** shift >= 1; shift += DIGIT_BITS) {
    starts.fill(0)
    for (let at = 0; at < keys.length; at++) starts[(keys[at]! >>> shift) & (DIGITS - 1)]!++
    let sum = 0
    for (let digit = 0; digit < DIGITS; digit++) {
      const count = starts[digit]!
      starts[digit] = sum
      sum += count
    }
    for (let at = 0; at < from.length; at++) {
      const place = from[at]!
      to[starts[(keys[place]! >>> shift) & (DIGITS - 1)]!++] = place
    }
    ;[from, to] = [to, from]
  }
  return from
}
