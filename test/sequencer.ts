/** The order of test files: what waits longest begins first, or the run ends with one worker that still waits. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A fresh clone knows no durations, and the size of these files says nothing of how long real processes take. */
const LONG =
  /\/(killed|supervisor|wake|page|worker|recovery|bridge|webchat|continuity|surfaces|panel|auto|handoff|plain|adapter|health|large-results|prompt|looks|process|survive|agents|deploy|cutover|image|push|migrate|stores|random-cuts|uat|demo-agent)\.test\.ts$/;

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = new Map([...new Set(files.map(({ project }) => project.name))].sort().map((name, i) => [name, i]));
    const order = (file: TestSpecification): number => {
      const long = LONG.test(file.moduleId) ? 0 : 1;
      const project = rank.get(file.project.name) ?? 0;
      // The whole matrix has files that take half of its time, whatever their project.
      return process.env.HERDR_MCP_MATRIX === '1' ? rank.size * long + project : 2 * project + long;
    };
    const sorted = await super.sort(files); // stable below: what base puts first stays first
    return sorted.toSorted((a, b) => order(a) - order(b));
  }
}
