/** A play button: a white triangle in a dark disc, as pixels. It stands for a video, or on a frame of it. Pure. */

export interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

const DISC = [16, 21, 28, 200] as const
const TRIANGLE = [255, 255, 255] as const
/** Of the radius: the corners of the triangle. */
const LEFT = -0.32
const RIGHT = 0.55
const HALF_HEIGHT = 0.5

/** Red, green, blue and alpha of each pixel of a square. @param size its side */
export function playButton(size: number): Pixels {
  const data = Buffer.alloc(size * size * 4)
  const radius = size / 2
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const [u, v] = [(x + 0.5 - radius) / radius, (y + 0.5 - radius) / radius]
      const disc = coverage((1 - Math.hypot(u, v)) * radius)
      const triangle = coverage(inTriangle(u, v) * radius)
      const at = (y * size + x) * 4
      for (let i = 0; i < 3; i++) data[at + i] = Math.round(DISC[i]! * (1 - triangle) + TRIANGLE[i]! * triangle)
      data[at + 3] = Math.round(disc * (DISC[3] + (255 - DISC[3]) * triangle))
    }
  return { data, width: size, height: size }
}

/** The distance to the nearest side; below 0 outside. */
function inTriangle(u: number, v: number): number {
  const slope = HALF_HEIGHT / (RIGHT - LEFT)
  const side = (HALF_HEIGHT - Math.abs(v) - (u - LEFT) * slope) / Math.hypot(1, slope)
  return Math.min(u - LEFT, side)
}

/** Of a pixel whose middle is so many pixels inside of an edge. */
function coverage(inside: number): number {
  return Math.max(0, Math.min(1, inside + 0.5))
}
