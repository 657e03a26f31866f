-- The full-text index over turns and evidence, by hand: the generator knows no virtual tables. It holds where words stand
-- and no text; rowid is the entry's `seq`. Words are made by continuity/journal/words.ts, hence the plainest tokenizer.
CREATE VIRTUAL TABLE `continuity_fts` USING fts5(words, chars, content='', contentless_delete=1, tokenize='ascii');
