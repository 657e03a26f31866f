/**
 * Who is counted as one caller by the rate limits: the address that Cloudflare saw, an IPv6 one by its /64, because one
 * customer owns at least that. Without the header (local workerd) everybody is one caller.
 */
export function callerAddress(headers: Headers): string {
  const address = headers.get('cf-connecting-ip');
  if (!address) return 'local';
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const missing = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
