/**
 * The text of an option that a script cannot do without.
 * @param names what the option names, for the message
 * @throws Error that names the option, if it is missing or empty
 */
export function requiredOption<Name extends string>(
  values: { readonly [name in Name]?: string | undefined },
  name: Name,
  names: string,
): string {
  const text = values[name]
  if (!text) throw new Error(`--${name} names ${names}`)
  return text
}
