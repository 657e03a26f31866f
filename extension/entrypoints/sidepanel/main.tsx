import { openPage } from '../../pages.ts';
import { startPanel } from '../../sidepanel/index.tsx';

startPanel(openPage());
