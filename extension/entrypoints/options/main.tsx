import { startOptions } from '../../options/index.tsx';
import { openPage } from '../../pages.ts';

startOptions(openPage());
