/** The native host, as the command line knows it: its registration. The program itself is `main.ts`. */
export {
  type InstallOptions,
  installNativeHost,
  type NativeHostStatus,
  nativeHostStatus,
  rollbackNativeHost,
  uninstallNativeHost,
} from './install/index.ts';
