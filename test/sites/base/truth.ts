/** What the site's server holds: conversations, Projects, and what a reply has come to. The page only shows it. */
import { randomUUID } from 'node:crypto';

export interface Turn {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  /** Keywords of the connectors that a user turn mentions. */
  pills: string[];
  status: 'in_progress' | 'finished_successfully' | 'interrupted';
  createdAtMs: number;
  /** A tool that runs inside this turn. */
  tool: string | null;
  /** What the site itself says below the answer, as when its stream was cut. */
  notice: string | null;
}

export interface Card {
  id: string;
  /** What the card says above its buttons. */
  text: string;
  buttons: string[];
  /** Whether the card stands in the site's own action row or in a plain dialog. */
  shape: 'row' | 'dialog';
  pressed: string[];
}

export interface Conversation {
  id: string;
  title: string;
  project: string | null;
  turns: Turn[];
  /** Turns of another branch: a page that did not show them sent on from before them. */
  outOfSight: Turn[];
  cards: Card[];
  /** An error card at the end of the thread. */
  threadError: string | null;
  /** Whether that card has a Retry, and how often it was pressed. */
  retry: boolean;
  retried: number;
  /** Pages that show it hear of nothing any more until they are loaded anew. */
  frozen: boolean;
  updatedAtMs: number;
  archived: boolean;
}

export interface Project {
  /** `g-p-<32 hex>`. */
  id: string;
  slug: string;
  name: string;
}

/** All that the site would still know after every tab was closed. */
export class Truth {
  readonly conversations = new Map<string, Conversation>();
  readonly projects: Project[] = [];
  /** Grows with each change, so that pages can wait for the next. */
  revision = 0;
  readonly #waiting = new Set<() => void>();

  changed(): void {
    this.revision += 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when something changes after `revision`, or after `ms` without. */
  async after(revision: number, ms: number): Promise<void> {
    if (this.revision > revision) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      const waiting = this.#waiting;
      function done() {
        clearTimeout(timer);
        waiting.delete(done);
        resolve();
      }
      waiting.add(done);
    });
  }

  /** Starts a conversation, with turns that are already over. */
  conversation(
    options: { id?: string; title?: string; project?: string | null; turns?: readonly [Turn['role'], string][] } = {},
  ): Conversation {
    const conversation: Conversation = {
      id: options.id ?? randomUUID(),
      title: options.title ?? 'New chat',
      project: options.project ?? null,
      turns: [],
      outOfSight: [],
      cards: [],
      threadError: null,
      retry: true,
      retried: 0,
      frozen: false,
      updatedAtMs: Date.now(),
      archived: false,
    };
    for (const [role, text] of options.turns ?? []) conversation.turns.push(turn(role, text, 'finished_successfully'));
    this.conversations.set(conversation.id, conversation);
    this.changed();
    return conversation;
  }

  project(name: string): Project {
    const project = {
      id: `g-p-${randomUUID().replaceAll('-', '')}`,
      slug: name.toLowerCase().replaceAll(/\W+/g, '-'),
      name,
    };
    this.projects.push(project);
    this.changed();
    return project;
  }

  /**
   * A user's turn is in the conversation from here on, whatever its page shows. `parent` is the turn that it was sent after,
   * as its page shows the conversation: what came behind that one elsewhere is another branch from now on.
   */
  accept(conversation: Conversation, text: string, pills: readonly string[], parent?: string | null): Turn {
    const at = conversation.turns.findIndex(({ id }) => id === parent);
    if (at >= 0) conversation.outOfSight.push(...conversation.turns.splice(at + 1));
    const accepted = turn('user', text, 'finished_successfully');
    accepted.pills.push(...pills);
    conversation.turns.push(accepted);
    conversation.threadError = null;
    this.touch(conversation);
    return accepted;
  }

  reply(conversation: Conversation): Turn {
    const reply = turn('assistant', '', 'in_progress');
    conversation.turns.push(reply);
    this.touch(conversation);
    return reply;
  }

  touch(conversation: Conversation): void {
    conversation.updatedAtMs = Date.now();
    this.changed();
  }

  get(id: string): Conversation {
    const conversation = this.conversations.get(id);
    if (conversation === undefined) throw new Error(`The stand-in has no conversation ${id}`);
    return conversation;
  }
}

/** A reply that a test writes by hand. */
export class Reply {
  readonly turn: Turn;
  readonly #conversation: Conversation;
  readonly #truth: Truth;

  constructor(truth: Truth, conversation: Conversation) {
    this.#truth = truth;
    this.#conversation = conversation;
    this.turn = truth.reply(conversation);
  }

  write(text: string): this {
    this.turn.text += text;
    this.#truth.touch(this.#conversation);
    return this;
  }

  tool(name: string | null): this {
    this.turn.tool = name;
    this.#truth.touch(this.#conversation);
    return this;
  }

  /** Asks for permission; resolves with the label that was pressed. */
  ask(text: string, buttons: readonly string[], shape: Card['shape'] = 'row'): Card {
    const card: Card = {
      id: `card-${this.#conversation.cards.length}`,
      text,
      buttons: [...buttons],
      shape,
      pressed: [],
    };
    this.#conversation.cards.push(card);
    this.#truth.touch(this.#conversation);
    return card;
  }

  finish(): void {
    this.turn.tool = null;
    this.turn.status = 'finished_successfully';
    this.#truth.touch(this.#conversation);
  }

  interrupt(): void {
    this.turn.status = 'interrupted';
    this.#truth.touch(this.#conversation);
  }
}

function turn(role: Turn['role'], text: string, status: Turn['status']): Turn {
  return { id: randomUUID(), role, text, pills: [], status, createdAtMs: Date.now(), tool: null, notice: null };
}
