/** Works on items, a few at a time, in their order. Rejects with the first error, after what was begun has ended. */
export async function inParallel<T>(
  width: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value)
  }
  const ended = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
