/** The composer: a real ProseMirror, so that what is put into its DOM by other means is undone or misread as there. */
import { baseKeymap, splitBlock } from 'prosemirror-commands';
import { history } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { type Node, Schema } from 'prosemirror-model';
import { EditorState, Plugin } from 'prosemirror-state';
import { Decoration, DecorationSet, EditorView } from 'prosemirror-view';

const schema = new Schema({
  nodes: {
    doc: { content: 'paragraph+' },
    paragraph: { content: 'inline*', toDOM: () => ['p', 0], parseDOM: [{ tag: 'p' }] },
    text: { group: 'inline' },
    pill: {
      group: 'inline',
      inline: true,
      atom: true,
      attrs: { keyword: {} },
      toDOM: (node) => [
        'span',
        {
          'data-inline-selection-pill': '',
          'data-symbol': 'ecosystemMention',
          'data-keyword': String(node.attrs.keyword),
          contenteditable: 'false',
        },
        String(node.attrs.keyword),
      ],
    },
  },
});

export interface Editor {
  readonly element: HTMLElement;
  text(): string;
  pills(): string[];
  isEmpty(): boolean;
  clear(): void;
  addPill(keyword: string): void;
  /** Puts text in as a person's typing would leave it. */
  type(text: string): void;
}

/** Makes the composer below `mount`. `submit` is called on Enter, `changed` after every change. */
export function openEditor(
  mount: HTMLElement,
  options: {
    attributes: Readonly<Record<string, string>>;
    placeholder: string;
    suggestion: string | null;
    submit(): void;
    changed(): void;
  },
): Editor {
  const view = new EditorView(mount, {
    state: EditorState.create({
      schema,
      plugins: [
        history(),
        keymap({
          Enter: () => {
            options.submit();
            return true;
          },
          'Shift-Enter': splitBlock,
        }),
        keymap(baseKeymap),
        emptyLook(options.placeholder, options.suggestion),
      ],
    }),
    attributes: { role: 'textbox', 'aria-multiline': 'true', class: 'ProseMirror', ...options.attributes },
    dispatchTransaction(transaction) {
      view.updateState(view.state.apply(transaction));
      if (transaction.docChanged) options.changed();
    },
  });
  const editor: Editor = {
    element: view.dom,
    text: () => linesOf(view.state.doc).join('\n'),
    pills() {
      const found: string[] = [];
      view.state.doc.descendants((node) => {
        if (node.type.name === 'pill') found.push(String(node.attrs.keyword));
      });
      return found;
    },
    isEmpty: () => linesOf(view.state.doc).join('').trim() === '',
    clear: () => view.dispatch(view.state.tr.delete(0, view.state.doc.content.size)),
    addPill(keyword) {
      const pill = schema.nodes.pill;
      if (pill === undefined) throw new Error('The schema has no pill');
      view.dispatch(view.state.tr.insert(1, [pill.create({ keyword }), schema.text(' ')]));
    },
    type(text) {
      const [first = '', ...rest] = text.split('\n');
      let change = view.state.tr.insertText(first);
      for (const line of rest) change = change.split(change.selection.from).insertText(line);
      view.dispatch(change);
    },
  };
  return editor;
}

function linesOf(doc: Node): string[] {
  const lines: string[] = [];
  doc.forEach((paragraph) => {
    lines.push(paragraph.textBetween(0, paragraph.content.size, '', () => ''));
  });
  return lines;
}

/** The placeholder is an attribute of the empty paragraph; a suggestion is pale text beside it that nobody wrote. */
function emptyLook(placeholder: string, suggestion: string | null): Plugin {
  return new Plugin({
    props: {
      decorations(state) {
        const { doc } = state;
        if (doc.childCount !== 1 || doc.firstChild === null || doc.firstChild.content.size > 0) return null;
        const marks = [
          Decoration.node(0, doc.firstChild.nodeSize, { class: 'placeholder', 'data-placeholder': placeholder }),
        ];
        if (suggestion !== null) {
          marks.push(
            Decoration.widget(1, () => {
              const pale = document.createElement('span');
              pale.className = 'text-token-text-tertiary';
              pale.setAttribute('aria-hidden', 'true');
              pale.textContent = suggestion;
              return pale;
            }),
          );
        }
        return DecorationSet.create(doc, marks);
      },
    },
  });
}
