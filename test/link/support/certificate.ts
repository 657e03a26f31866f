/** A self-signed certificate made on the spot, so that no private key lies in the repository (X.509 v3, RFC 5280). */
import { generateKeyPairSync, sign } from 'node:crypto';

/** Ed25519, RFC 8410. */
const ED25519 = sequence(tagged(0x06, Buffer.from([0x2b, 0x65, 0x70])));

export function selfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const name = sequence(set(sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(host)))));
  const day = 24 * 60 * 60 * 1000;
  const validity = sequence(utcTime(Date.now() - day), utcTime(Date.now() + day));
  const names = sequence(tagged(0x82, Buffer.from(host)), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  const isAuthority = sequence(
    oid(0x55, 0x1d, 0x13),
    tagged(0x01, Buffer.from([0xff])),
    octets(sequence(tagged(0x01, Buffer.from([0xff])))),
  );
  const extensions = tagged(0xa3, sequence(isAuthority, sequence(oid(0x55, 0x1d, 0x11), octets(names))));
  const version = tagged(0xa0, tagged(0x02, Buffer.from([2])));
  const serial = tagged(0x02, Buffer.from([1]));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(version, serial, ED25519, name, validity, name, spki, extensions);
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign(null, body, privateKey)]));
  const der = sequence(body, ED25519, signature);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content);
}

function oid(...bytes: number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function utcTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${text}Z`));
}
