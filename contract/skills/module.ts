/** One piece of the planner's policy that is loaded on demand. */
export interface SkillModule {
  /** Lower case and dashes; also the name of the MCP prompt. */
  id: string;
  title: string;
  /** When to load it, one sentence. */
  description: string;
  /** Markdown. */
  text: string;
}
