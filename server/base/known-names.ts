/** Texts that are checked against names that the type checker knows. */

export function isOneOf<const N extends string>(names: readonly N[], text: unknown): text is N {
  return (names as readonly unknown[]).includes(text)
}

/** Whether a name is that of a member. */
export function isKeyOf<T extends object>(object: T, name: string): name is keyof T & string {
  return Object.hasOwn(object, name)
}

/** The names of the members of an object that has only those of its type, such as a constant. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[]
}
