import '../../pages.css';
import { startPanel } from '../../sidepanel/index.tsx';

startPanel(document.getElementById('app') ?? document.body);
