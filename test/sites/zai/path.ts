export const pathOf = ({ id }: { id: string }): string => `/c/${id}`;
