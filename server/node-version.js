// Plain JavaScript that old versions of Node can read.
const NEEDED = [22, 19]

/** The message for users whose Node version is too old; null: it is new enough. */
export function findNodeFault(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return null
  return (
    `posthouse: Node ${NEEDED.join('.')} or newer is needed; this is ${version}. ` +
    'On Linux (x64, arm64) `npm ci` installs one, which `npm start`, `npm test` and `npx posthouse` use; elsewhere install it yourself.\n'
  )
}
