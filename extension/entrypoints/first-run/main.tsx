import { startFirstRun } from '../../first-run/index.tsx';
import { openPage } from '../../pages.ts';

startFirstRun(openPage());
