import { describe, expect, it } from 'vitest';
import { isSecretPath } from '../../../runtime-a-b/roots/index.ts';
import { verifies } from '../../verifies.ts';

const SECRET = [
  '.env',
  'sub/.ENV',
  '.env.local',
  'prod.env',
  'id_rsa',
  'keys/id_ed25519.pub',
  'server.pem',
  'tls/server.KEY',
  'cert.p12',
  'cert.pfx',
  '.netrc',
  '.pgpass',
  'secrets.yaml',
  'my-secret.txt',
  'apiToken.json',
  'API_TOKEN',
  'token2.txt',
  'credentials',
  '.aws/credentials',
  'aws_credentials.csv',
  'secrets/db.json',
  'db.secret',
  '.git/config',
  'sub/.git/config',
  '.git/modules/x/config',
  '.git/worktrees/w/config.worktree',
  '.git-credentials',
  '.env/inner.ts',
  'secret.md',
  'x.\u212Aey',
  '\u017Fecret.txt',
  '\uFF0Eenv',
  '.e\u200Bnv',
  '.env\u00AD',
  '\uFF54\uFF4F\uFF4B\uFF45\uFF4E.json',
  'ID_ED25519.bak',
];
const PLAIN = [
  'tokenizer.ts',
  'tokenizer_config.json',
  'src/token/parser.ts',
  'src/secrets.py',
  'lib/credential.go',
  'token.sh',
  'secretary.txt',
  'environment.md',
  'env.ts',
  'keyboard.txt',
  'monkey',
  '.git/HEAD',
  'config',
  'docs/config',
  'detokenize.txt',
  'a.keys.txt',
  '\u0442\u043E\u043A\u0435\u043D\u0438\u0437\u0430\u0442\u043E\u0440.md',
  'e\u0301nv.md',
  '',
];

describe('secret-looking names', () => {
  it.each(SECRET)('hides %s', (path) => {
    verifies('roots.secrets');
    expect(isSecretPath(path)).toBe(true);
  });

  it.each(PLAIN)('shows %s', (path) => {
    verifies('roots.secrets');
    expect(isSecretPath(path)).toBe(false);
  });

  it('lets a directory be listed whose name is a word, and hides one with a fixed name', () => {
    expect(isSecretPath('src/token', 'directory')).toBe(false);
    expect(isSecretPath('.env', 'directory')).toBe(true);
    expect(isSecretPath('src/token/notes.txt')).toBe(true);
  });
});
