/** The times of a day at which a rule of days, weeks, months or years recurs: byHour x byMinute x bySecond, in order. */
type Lists = {
  readonly hours: readonly number[] | null
  readonly minutes: readonly number[] | null
  readonly seconds: readonly number[] | null
}

/** Never listed as a whole: up to 86,400 times of a rule that many clients may have. */
export class TimesOfDay {
  readonly count: number
  private readonly hours: readonly number[]
  private readonly minutes: readonly number[]
  private readonly seconds: readonly number[]

  constructor({ hours, minutes, seconds }: Lists) {
    this.hours = hours ?? []
    this.minutes = minutes ?? []
    this.seconds = seconds ?? []
    this.count = this.hours.length * this.minutes.length * this.seconds.length
  }

  /** Seconds after midnight of the time with an index below `count`. */
  at(index: number): number {
    const second = index % this.seconds.length
    const rest = (index - second) / this.seconds.length
    const minute = rest % this.minutes.length
    const hour = (rest - minute) / this.minutes.length
    return this.hours[hour]! * 3_600 + this.minutes[minute]! * 60 + this.seconds[second]!
  }

  /** The index of the first time that is not before some seconds after midnight. */
  firstFrom(seconds: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.at(middle) < seconds) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The indices that `bySetPosition` keeps of a set of some size, in order. */
export function keptIndices(positions: readonly number[], size: number): number[] {
  const kept = positions.map((position) => (position > 0 ? position - 1 : size + position))
  return [...new Set(kept.filter((index) => index >= 0 && index < size))].sort((a, b) => a - b)
}
