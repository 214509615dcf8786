/** Loads a library when it is first used: what a thread never needs takes none of its memory. */
export function onDemand<T extends object>(load: () => T): () => T {
  let loaded: T | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}
