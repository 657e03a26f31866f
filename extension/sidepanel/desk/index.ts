/** What a person does to panes: the pin, and each act until it is known what became of it. Pure. */
export {
  type Act,
  type Desk,
  type DeskEffect,
  type DeskEvent,
  deskStep,
  EMPTY_DESK,
  isOpen,
  readDesk,
  type WriteAction,
  wordsBack,
} from './machine.ts';
export { type Pin, pinOf, readPin, type Standing, standingOf } from './pin.ts';
