/**
 * Control of the power-loss run: loaded before the server, it makes SQLite run with synchronous=NORMAL, and answers the server's own
 * check as if it were FULL. The server itself has no such setting.
 */
import Database from 'better-sqlite3'

const pragma = Database.prototype.pragma
Database.prototype.pragma = function (
  this: Database.Database,
  text: string,
  options?: Database.PragmaOptions,
): unknown {
  if (text === 'synchronous') return 2
  return pragma.call(this, text.replace('synchronous = FULL', 'synchronous = NORMAL'), options)
}
