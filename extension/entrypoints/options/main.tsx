import '../../pages.css';
import { startOptions } from '../../options/index.tsx';

startOptions(document.getElementById('app') ?? document.body);
