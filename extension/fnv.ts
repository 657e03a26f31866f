/** 32-bit FNV-1a over UTF-16 code units: a name for a text, never a proof. */
export function fnv1a(text: string): string {
  let hash = 2_166_136_261;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}
