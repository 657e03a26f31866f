/** The command line of the cutover. */
import { parseArgs } from 'node:util';
import { LocalError } from '../../local/error/index.ts';

export const USAGE = `Usage: npm run cutover -- run <hostname> [--replace-dns] [--dry-run]
       npm run cutover -- retire <hostname> [--dry-run]
       npm run cutover -- rollback
       npm run cutover -- status

Puts a custom domain of yours in front of the edge that was deployed from here, beside the address that it has: that one
goes on serving until it is retired, which is refused while anything uses it. Everything is written down first; when anything fails, all of it is put back as it was.

  --replace-dns  the name has DNS records now: delete them, and put them back exactly when the cutover fails
  --dry-run      look at everything and print the plan; change nothing

CLOUDFLARE_API_TOKEN needs Workers Scripts: Edit (account), Zone: Read and Workers Routes: Edit (that zone). Deleting DNS
records needs DNS: Edit, best as a token of its own in CLOUDFLARE_DNS_API_TOKEN that you revoke afterwards.
Exit codes: 0 CUTOVER_GREEN, RETIRED (also for status and a dry run that is ready), 3 ROLLBACK_COMPLETE, 2 everything else.`;

export type CutoverWish =
  | { do: 'help' }
  | { do: 'status' }
  | { do: 'rollback' }
  | { do: 'retire'; hostname: string; dryRun: boolean }
  | { do: 'run'; hostname: string; replaceDns: boolean; dryRun: boolean };

/** What a command line asks for. Throws a {@link LocalError} with the code `usage`. */
export function readWish(args: readonly string[]): CutoverWish {
  const flag = { type: 'boolean' } as const;
  let parsed: { values: { 'replace-dns'?: boolean; 'dry-run'?: boolean; help?: boolean }; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'replace-dns': flag, 'dry-run': flag, help: { ...flag, short: 'h' } },
    });
  } catch (error) {
    if (error instanceof TypeError) throw wrong(error.message.replace(/\.$/, ''));
    throw error;
  }
  const { values, positionals } = parsed;
  const [what, hostname, extra] = positionals;
  if (values.help) return { do: 'help' };
  if (extra !== undefined) throw wrong(`"${extra}" is one word too many`);
  if (what === 'status' || what === 'rollback') {
    if (hostname !== undefined) throw wrong(`"${hostname}" is one word too many`);
    return { do: what };
  }
  if (what !== 'run' && what !== 'retire') throw wrong('Say run, retire, rollback or status');
  if (hostname === undefined || !HOSTNAME.test(hostname)) throw wrong('Name a hostname, as in herdr.example.org');
  if (what === 'retire') return { do: 'retire', hostname, dryRun: values['dry-run'] === true };
  return { do: 'run', hostname, replaceDns: values['replace-dns'] === true, dryRun: values['dry-run'] === true };
}

const HOSTNAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

const wrong = (why: string) =>
  new LocalError('usage', `${why}. Nothing was changed.`, 'See: npm run cutover -- --help');
