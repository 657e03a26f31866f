/** Who this workstation is: its record, its key, its tokens, pairing, and REST calls made as this device. */
export { Device, readDevice, writeDevice } from './device.ts';
export { type Identity, openIdentity } from './identity.ts';
export { DEVICE_KEY, DeviceKey, generateDeviceKey } from './key.ts';
export { followDevice, moveDevice } from './moving.ts';
export { type PairOptions, pair, pairFirst, parsePairingAddress } from './pairing.ts';
export { type DeviceRequest, refusedByEdge, requestAsDevice } from './rest.ts';
export { renewKey, rotateKey } from './rotating.ts';
export { DeviceSigner } from './token.ts';
