/** Which account is meant: the one that is named, else the only one that the login may use. */
import * as Type from 'typebox';
import { LocalError } from '../../local/error/index.ts';
import type { Api } from './client.ts';
import { checked } from './worker.ts';

const Accounts = Type.Array(Type.Object({ id: Type.String(), name: Type.String() }));

export interface Account {
  id: string;
  name: string;
}

/** Throws a {@link LocalError} when none fits or several could be meant; none is chosen then. */
export async function chooseAccount(api: Api, named: string | undefined): Promise<Account> {
  const accounts = checked(Accounts, await api.get('/accounts'), 'accounts');
  if (named !== undefined) {
    // A token for one account may not list it; Cloudflare itself refuses a wrong id.
    return accounts.find(({ id }) => id === named) ?? { id: named, name: named };
  }
  const [only, ...others] = accounts;
  if (only && others.length === 0) return only;
  if (!only) {
    throw new LocalError(
      'account_unknown',
      'This login sees no Cloudflare account.',
      'Name it: CLOUDFLARE_ACCOUNT_ID=<id>. Nothing was changed.',
    );
  }
  throw new LocalError(
    'account_ambiguous',
    `This login sees several Cloudflare accounts: ${accounts.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
    'Say which: CLOUDFLARE_ACCOUNT_ID=<id>. Nothing was changed.',
  );
}
