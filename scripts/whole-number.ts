/**
 * A whole number from an option of a script. Other text is refused: a loop up to NaN runs no round, and a check of nothing finds no
 * fault.
 */

/** @throws Error that names the option, if its value is not a whole number or is below `least` */
export function wholeNumber<Name extends string>(
  values: { readonly [name in Name]: string },
  name: Name,
  least = 1,
): number {
  const number = Number(values[name])
  if (values[name].trim() === '' || !Number.isSafeInteger(number) || number < least)
    throw new Error(`--${name} has to be a whole number, ${least} or more: '${values[name]}'`)
  return number
}
