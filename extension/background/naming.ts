/** Who we are and whose pages these are, for the runtime: the registry and the accounts, which need each other. */
import { type AccountParts, type Accounts, createAccounts } from './accounts.ts';
import { createRegistry, type Registry, type RegistryParts } from './registry.ts';

export function createNaming(parts: Omit<RegistryParts, 'accountOf'> & Pick<AccountParts, 'state' | 'askPage'>): {
  registry: Registry;
  accounts: Accounts;
} {
  const registry = createRegistry({ ...parts, accountOf: (place) => accounts.of(place) });
  const accounts = createAccounts({ ...parts, seed: registry.seed });
  return { registry, accounts };
}
