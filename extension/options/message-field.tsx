/** One message that a person may word: what may stand in it, and how it is then sent. */
import { type Language, say } from '../../look/words/index.ts';
import {
  defaultTemplate,
  MESSAGE_CHARS_MAX,
  PLACEHOLDERS,
  progressText,
  settledText,
  type TemplateName,
} from '../machines/worker/index.ts';

const WORKSPACE = {
  id: 'w1',
  label: 'parser',
  agents: [
    {
      pane: 'w1:p1',
      name: 'builder',
      agent: 'claude',
      status: 'done',
      workspace: 'w1',
      cwd: null,
      terminal_title: null,
    },
  ],
};

/** The message as it would be sent about a made-up workspace. */
function preview(language: Language, name: TemplateName, own: string | null): string {
  if (name === 'settled') {
    return settledText(language, own, WORKSPACE, [{ pane: 'w1:p1', name: 'builder', status: 'done' }], false);
  }
  const agents = WORKSPACE.agents.map((agent) => ({ ...agent, status: 'working' }));
  return progressText(language, own, { ...WORKSPACE, agents }, 'running 12 tests …', false);
}

export function MessageField({
  language,
  name,
  value,
  onChange,
}: {
  language: Language;
  name: TemplateName;
  /** Empty: the text that comes with the extension. */
  value: string;
  onChange(value: string): void;
}) {
  const t = (key: Parameters<typeof say<'options'>>[2], values = {}) => say(language, 'options', key, values);
  const known: readonly string[] = PLACEHOLDERS[name];
  const used = [...value.matchAll(/\{(\w+)\}/g)].map(([, word]) => word ?? '');
  const unknown = [...new Set(used)].filter((word) => !known.includes(word));
  const facts = name === 'settled' ? ['state', 'ended', 'agents'] : ['state', 'output', 'agents'];
  const bare = value.trim() !== '' && !facts.some((fact) => used.includes(fact));
  const braced = (words: readonly string[]) => words.map((word) => `{${word}}`).join(', ');
  const own = value.trim() === '' ? null : value;
  const key = `${name}Template` as const;
  return (
    <div class="field">
      <label for={key}>{t(key)}</label>
      <textarea
        id={key}
        name={key}
        rows={own === null ? 3 : 9}
        maxLength={MESSAGE_CHARS_MAX}
        placeholder={defaultTemplate(language, name)}
        value={value}
        aria-describedby={`${key}-notes`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <div id={`${key}-notes`} role="status">
        {unknown.length === 0 ? null : <p class="hint warn">{t('templateUnknown', { names: braced(unknown) })}</p>}
        {bare ? <p class="hint warn">{t('templateBare', { names: braced(facts) })}</p> : null}
      </div>
      <button
        type="button"
        class="plain small"
        onClick={() => onChange(own === null ? defaultTemplate(language, name) : '')}
      >
        {t(own === null ? 'edit' : 'reset')}
        <span class="heard">: {t(key)}</span>
      </button>
      <details>
        <summary>
          {t('placeholders')}
          <span class="heard">: {t(key)}</span>
        </summary>
        <dl>
          {PLACEHOLDERS[name].map((word) => (
            <div key={word}>
              <dt>
                <code>{`{${word}}`}</code>
              </dt>
              <dd>{t(`ph.${word}`)}</dd>
            </div>
          ))}
        </dl>
      </details>
      <details>
        <summary>
          {t('preview')}
          <span class="heard">: {t(key)}</span>
        </summary>
        <pre data-preview={name}>{preview(language, name, own)}</pre>
      </details>
    </div>
  );
}
