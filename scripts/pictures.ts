/**
 * Pages that are written by hand, except what stands between `<!-- picture: name -->` and `<!-- /picture -->`: that is
 * Mermaid, made from the code.
 */
const PLACE = /<!-- picture: ([\w-]+) -->\n[\s\S]*?<!-- \/picture -->/g;

/** The page with every picture drawn anew. Throws for a place without a picture, and for a picture without a place. */
export function fillPictures(page: string, pictures: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(pictures));
  const drawn = page.replace(PLACE, (_, name: string) => {
    const picture = pictures[name];
    if (picture === undefined) throw new Error(`the page has a place for ${name}, which is no picture`);
    missing.delete(name);
    return `<!-- picture: ${name} -->\n\`\`\`mermaid\n${picture}\n\`\`\`\n<!-- /picture -->`;
  });
  if (missing.size > 0) throw new Error(`the page has no place for ${[...missing].join(', ')}`);
  return drawn;
}
