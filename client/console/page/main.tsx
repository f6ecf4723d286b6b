// What runs in the browser begins here.
import './style/tokens.css';
import './style/base.css';
import './parts/parts.css';
import './frame/frame.css';
import { render } from 'preact';
import { Frame } from './frame/frame';
import { startLive } from './shell/live';
import { applyPreferences } from './shell/preferences';
import { startClock } from './shell/reader';
import { startRouter } from './shell/router';
import { VIEWS } from './views';

applyPreferences();
startClock();
startRouter();
startLive();
const place = document.getElementById('page');
if (place !== null) render(<Frame views={VIEWS} />, place);
